//! `GET /healthz`: whether the database answers, and which graders are alive.
//!
//! A grader that died without a word is listed for 15 s more; its age tells it from one that is heard of every 5 s.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::state::SiteState;

/// 200 with the graders, or 503.
pub async fn healthz(State(state): State<SiteState>) -> Response {
    match db::graders::list_live(&state.pool).await {
        Ok(graders) => {
            let graders: Vec<_> = graders
                .into_iter()
                .map(|grader| {
                    serde_json::json!({
                        "device": grader.device,
                        "backend": grader.backend,
                        "sandbox_level": grader.sandbox_level,
                        "last_seen_seconds": grader.last_seen_seconds,
                    })
                })
                .collect();
            Json(serde_json::json!({ "status": "ok", "graders": graders })).into_response()
        }
        Err(error) => {
            tracing::warn!(%error, "not healthy");
            (StatusCode::SERVICE_UNAVAILABLE, Json(serde_json::json!({ "status": "no database" }))).into_response()
        }
    }
}
