//! Checks that a request names this server as its host.
//!
//! A page of another site can, after it was loaded, let its own name lead to this machine (DNS rebinding). A browser
//! then takes this server for that site, but still sends the site's name as `Host`. So a request is answered only if
//! its host is one of the names of this server.

use std::net::IpAddr;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri, header};

use super::refusal::{Refusal, Result};

/// The names and addresses of a server.
pub(crate) struct Hosts {
    listen: IpAddr,
    names: Vec<String>,
}

impl Hosts {
    /// Returns the names and addresses of a server that listens on an address and has some names besides.
    pub(crate) fn new(listen: IpAddr, names: &[String]) -> Hosts {
        Hosts { listen, names: names.iter().map(|name| plain(name)).collect() }
    }

    /// Refuses a request that is meant for another host. A request without a `Host` does not come from a browser.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<()> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (first, second) = (hosts.next(), hosts.next());
        if second.is_some() {
            return Err(Refusal::bad("a request has one Host header, not several"));
        }
        let told = first.map(|host| host.to_str().unwrap_or("?"));
        for host in told.into_iter().chain(uri.authority().map(Authority::as_str)) {
            if !self.knows(host) {
                let host = zermelo_core::quoted(host);
                let text =
                    format!("this server does not answer for {host}; start it with --host NAME if it should");
                return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, text));
            }
        }
        Ok(())
    }

    /// Whether a host, with or without a port, is this server. The port may differ, for another port may be forwarded
    /// to this one.
    fn knows(&self, host: &str) -> bool {
        let Ok(host) = host.parse::<Authority>() else { return false };
        // No browser sends a name and a password with the host.
        if host.as_str().contains('@') {
            return false;
        }
        let host = plain(host.host());
        if host == "localhost" || self.names.contains(&host) {
            return true;
        }
        let Ok(address) = host.parse::<IpAddr>().map(|address| address.to_canonical()) else { return false };
        let listen = self.listen.to_canonical();
        listen.is_unspecified() || listen == address || listen.is_loopback() && address.is_loopback()
    }
}

/// Returns a host in the form in which hosts are compared: in small letters, without brackets or a dot at the end.
fn plain(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches([']', '.']).to_ascii_lowercase()
}

/// Whether a request is from this server's page or from no page at all. Browsers send the site of a page only over
/// secure or local connections, but its origin always. The host has been [checked](Hosts::check).
pub(crate) fn is_own_page(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let site = text("sec-fetch-site").is_none_or(|site| matches!(site, "same-origin" | "none"));
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let own = match (origins.next(), origins.next()) {
        (None, _) => true,
        (Some(origin), None) => {
            let host = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
            host.is_some() && host == text("host")
        }
        (Some(_), Some(_)) => false,
    };
    site && own && headers.get_all("sec-fetch-site").iter().count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_server_are_known() {
        let local = Hosts::new([127, 0, 0, 1].into(), &["Games.Example.org".into()]);
        for host in [
            "127.0.0.1:8080",
            "localhost",
            "LOCALHOST:1",
            "[::1]:80",
            "127.0.0.2",
            "games.example.org.",
            "games.example.org:443",
        ] {
            assert!(local.knows(host), "{host}");
        }
        for host in [
            "evil.com:8080",
            "evil.com",
            "10.0.0.1",
            "localhost.evil.com",
            "",
            "?",
            "a@localhost",
            "example.org",
            "[::2]",
        ] {
            assert!(!local.knows(host), "{host}");
        }
        let open = Hosts::new([0, 0, 0, 0].into(), &[]);
        assert!(open.knows("192.168.1.7:8080") && open.knows("[fe80::1]") && !open.knows("evil.com"));
        let lan = Hosts::new([192, 168, 1, 7].into(), &[]);
        assert!(lan.knows("192.168.1.7") && lan.knows("localhost:9") && !lan.knows("192.168.1.8"));
    }
}
