//! Files under /pkg: the right type, packed where the browser can unpack, and nothing from beside them.

use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::http::{Request, StatusCode};
use db::PgPool;

use crate::site::{Site, config};

/// A site's folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("pkg")).unwrap();
        std::fs::write(folder.join("secret.txt"), "secret").unwrap();
        for (file, text) in [("app.css", "a{}"), ("app.js", "1"), ("app_bg.wasm", "\0asm"), ("a.woff2", "f")] {
            std::fs::write(folder.join("pkg").join(file), text).unwrap();
        }
        std::fs::write(folder.join("pkg/app.css.br"), "packed").unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn files_have_their_types_and_come_packed(pool: PgPool) {
    let folder = Folder::new("types");
    let site = Site::with(pool, config(folder.0.clone(), None)).await;
    for (file, kind) in [
        ("app.css", "text/css"),
        ("app.js", "text/javascript"),
        ("app_bg.wasm", "application/wasm"),
        ("a.woff2", "font/woff2"),
    ] {
        let answer = site.get(&format!("/pkg/{file}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{file}");
        assert!(answer.header("content-type").starts_with(kind), "{file}");
    }
    let request = Request::get("/pkg/app.css").header("accept-encoding", "gzip, br");
    let answer = site.ask(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.header("content-encoding"), "br");
    assert_eq!(answer.text(), "packed");
    assert!(answer.header("content-type").starts_with("text/css"));
    assert_eq!(site.get("/pkg/app.css").await.text(), "a{}");
    let answer = site.get("/pkg/app.css?v=0123456789abcdef").await;
    assert!(answer.header("cache-control").contains("immutable"));
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn nothing_beside_the_files_is_served(pool: PgPool) {
    let folder = Folder::new("traversal");
    let site = Site::with(pool, config(folder.0.clone(), None)).await;
    for path in [
        "/pkg/../secret.txt",
        "/pkg/%2e%2e/secret.txt",
        "/pkg/..%2fsecret.txt",
        "/pkg/%2e%2e%2fsecret.txt",
        "/pkg/..%5csecret.txt",
        "/pkg//secret.txt",
        "/pkg/%2fetc%2fpasswd",
        "/pkg/app.css%00",
        "/pkg/app.css/../../secret.txt",
        "/pkg/",
        "/pkg",
        "/secret.txt",
    ] {
        let answer = site.get(path).await;
        assert!(answer.status.is_client_error(), "{path}: {}", answer.status);
        let text = answer.text();
        assert!(!text.contains("secret\n") && text != "secret" && !text.contains("root:"), "{path}");
    }
}
