//! Counts what the server has done, in the form that Prometheus reads.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The upper ends of the classes of latency, in microseconds.
const BUCKETS: [u64; 12] =
    [50, 100, 250, 500, 1_000, 2_500, 10_000, 50_000, 250_000, 1_000_000, 2_500_000, 10_000_000];
/// The statuses that are counted apart; the last stands for all others.
const STATUSES: [u16; 18] =
    [200, 202, 204, 304, 400, 403, 404, 405, 408, 409, 413, 414, 415, 429, 500, 503, 504, 0];

/// The counters.
#[derive(Default)]
pub(crate) struct Metrics {
    routes: Vec<Route>,
    /// Positions answered from memory alone.
    pub(crate) warm: AtomicU64,
    /// Positions for which a disk was read.
    pub(crate) cold: AtomicU64,
    /// Positions that were searched for.
    pub(crate) searched: AtomicU64,
    /// Connections open now.
    pub(crate) connections: AtomicU64,
    /// Connections sent away because there were too many.
    pub(crate) refused_connections: AtomicU64,
}

#[derive(Default)]
struct Route {
    path: &'static str,
    statuses: [AtomicU64; STATUSES.len()],
    latency: [AtomicU64; BUCKETS.len() + 1],
    micros: AtomicU64,
}

impl Metrics {
    /// Makes the counters for routes, by their paths; the last path stands for everything else.
    pub(crate) fn new(paths: &[&'static str]) -> Metrics {
        let route = |path: &&'static str| Route { path, ..Route::default() };
        Metrics { routes: paths.iter().map(route).collect(), ..Metrics::default() }
    }

    /// Counts one request.
    pub(crate) fn note(&self, path: Option<&str>, status: u16, took: Duration) {
        let found = path.and_then(|path| self.routes.iter().find(|route| route.path == path));
        let Some(route) = found.or(self.routes.last()) else { return };
        let place = STATUSES.iter().position(|s| *s == status).unwrap_or(STATUSES.len() - 1);
        route.statuses[place].fetch_add(1, Relaxed);
        let micros = took.as_micros() as u64;
        let class = BUCKETS.iter().position(|end| micros <= *end).unwrap_or(BUCKETS.len());
        route.latency[class].fetch_add(1, Relaxed);
        route.micros.fetch_add(micros, Relaxed);
    }

    /// Returns all counters as text; each of the `gauges` is a name, its help and a number.
    pub(crate) fn text(&self, gauges: &[(&str, &str, u64)]) -> String {
        let mut out = String::with_capacity(8192);
        self.write_requests(&mut out);
        self.write_latency(&mut out);
        let lookups = [("memory", &self.warm), ("disk", &self.cold), ("search", &self.searched)];
        head(&mut out, "zermelo_positions_total", "counter", "Positions answered, by where the values were.");
        for (from, n) in lookups {
            let _ = writeln!(out, "zermelo_positions_total{{from=\"{from}\"}} {}", n.load(Relaxed));
        }
        let refused = self.refused_connections.load(Relaxed);
        head(&mut out, "zermelo_refused_connections_total", "counter", "Connections sent away.");
        let _ = writeln!(out, "zermelo_refused_connections_total {refused}");
        let open = ("zermelo_connections", "Connections open now.", self.connections.load(Relaxed));
        for (name, help, n) in gauges.iter().chain([&open]) {
            head(&mut out, name, "gauge", help);
            let _ = writeln!(out, "{name} {n}");
        }
        out
    }

    fn write_requests(&self, out: &mut String) {
        let name = "zermelo_requests_total";
        head(out, name, "counter", "Requests by route and status.");
        for route in &self.routes {
            for (status, n) in STATUSES.iter().zip(&route.statuses) {
                let status = if *status == 0 { "other".into() } else { status.to_string() };
                if let n @ 1.. = n.load(Relaxed) {
                    let _ = writeln!(out, "{name}{{route=\"{}\",status=\"{status}\"}} {n}", route.path);
                }
            }
        }
    }

    fn write_latency(&self, out: &mut String) {
        let name = "zermelo_request_seconds";
        head(out, name, "histogram", "Time to answer a request, by route.");
        for route in &self.routes {
            let counts: Vec<u64> = route.latency.iter().map(|n| n.load(Relaxed)).collect();
            if counts.iter().all(|n| *n == 0) {
                continue;
            }
            let mut sum = 0;
            for (end, n) in BUCKETS.iter().zip(&counts) {
                sum += n;
                let (path, end) = (route.path, *end as f64 / 1e6);
                let _ = writeln!(out, "{name}_bucket{{route=\"{path}\",le=\"{end}\"}} {sum}");
            }
            let (path, all) = (route.path, counts.iter().sum::<u64>());
            let seconds = route.micros.load(Relaxed) as f64 / 1e6;
            let _ = writeln!(out, "{name}_bucket{{route=\"{path}\",le=\"+Inf\"}} {all}");
            let _ = writeln!(out, "{name}_sum{{route=\"{path}\"}} {seconds}");
            let _ = writeln!(out, "{name}_count{{route=\"{path}\"}} {all}");
        }
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_and_status() {
        let metrics = Metrics::new(&["/a", "/b", "other"]);
        metrics.note(Some("/a"), 200, Duration::from_micros(70));
        metrics.note(Some("/a"), 200, Duration::from_secs(60));
        metrics.note(None, 418, Duration::ZERO);
        let text = metrics.text(&[("zermelo_x", "X.", 3)]);
        for line in [
            "zermelo_requests_total{route=\"/a\",status=\"200\"} 2",
            "zermelo_requests_total{route=\"other\",status=\"other\"} 1",
            "zermelo_request_seconds_bucket{route=\"/a\",le=\"0.0001\"} 1",
            "zermelo_request_seconds_bucket{route=\"/a\",le=\"+Inf\"} 2",
            "zermelo_x 3",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} in\n{text}");
        }
    }
}
