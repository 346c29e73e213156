//! The dependencies between crates that must never appear.

use std::process::Command;

fn depends(package: &str) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", package, "--edges", "normal", "--prefix", "none", "--offline"])
        .arg("--no-default-features")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn crates_keep_to_their_side() {
    for (package, never) in [
        ("zermelo-core", &["zermelo-games", "zermelo-engines", "zermelo-store", "rayon", "serde"][..]),
        ("zermelo-games", &["zermelo-engines", "zermelo-store", "rayon", "serde"]),
        ("zermelo-engines", &["zermelo-games", "zermelo-store", "serde"]),
        ("zermelo-catalogue", &["zermelo-store", "serde"]),
        ("zermelo", &["clap", "ratatui", "axum", "tokio", "anyhow", "zermelo-cli"]),
        ("zermelo-store", &["zermelo-games", "zermelo-engines", "rayon"]),
        // By its default feature it brings the program along.
        ("zermelo-python", &["zermelo-cli", "clap", "tokio", "anyhow"]),
    ] {
        let tree = depends(package);
        assert!(tree.contains(package));
        for other in never {
            assert!(
                !tree.lines().any(|line| line.starts_with(&format!("{other} "))),
                "{package} must not use {other}"
            );
        }
    }
}
