//! What all requests share.

use std::sync::Arc;

use db::PgPool;
use leptos::config::LeptosOptions;
use lesson::Course;

use crate::addresses::Addresses;
use crate::config::Config;
use crate::hub::Hub;

/// Shared by all requests; cheap to clone.
#[derive(Clone)]
pub struct SiteState {
    /// The configuration.
    pub config: Arc<Config>,
    /// The database.
    pub pool: PgPool,
    /// The course.
    pub course: Arc<Course>,
    /// Wakes streams.
    pub hub: Hub,
    /// What each network submitted lately.
    pub addresses: Addresses,
    /// Names of the hydration scripts.
    pub options: LeptosOptions,
}

impl SiteState {
    /// Loads the course and starts to listen for news of submissions.
    pub fn start(config: Config, pool: PgPool) -> Self {
        let course = Course::load(&config.lessons);
        for fault in &course.faults {
            tracing::error!(%fault, "left out of the course");
        }
        let hub = Hub::start(pool.clone());
        let options = LeptosOptions::builder().output_name("app").site_pkg_dir("pkg").build();
        Self { config: Arc::new(config), pool, course: Arc::new(course), hub, addresses: Addresses::default(), options }
    }
}
