//! A browser without a screen: cookies, forms, event streams.

use std::time::Duration;

use anyhow::{Context, bail};
use domain::event::GradeEvent;
use domain::verdict::Verdict;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Response};

use crate::world::PATIENCE;

/// One browser with its cookies.
#[derive(Clone)]
pub struct Visitor {
    client: Client,
    base: String,
}

impl Visitor {
    /// A browser that was never here.
    pub fn new(base: String) -> Self {
        let client = Client::builder()
            .cookie_store(true)
            .redirect(reqwest::redirect::Policy::none())
            .timeout(PATIENCE)
            .build()
            .expect("a client without options that can fail");
        Self { client, base }
    }

    /// GET.
    pub async fn get(&self, path: &str) -> anyhow::Result<Response> {
        Ok(self.client.get(format!("{}{path}", self.base)).send().await?)
    }

    /// Sends the form of an exercise with a body as it is, as a script does.
    pub async fn post(&self, exercise: &str, body: Vec<u8>) -> anyhow::Result<Response> {
        Ok(self
            .client
            .post(format!("{}/x/{exercise}/submissions", self.base))
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(ACCEPT, "application/json")
            .body(body)
            .send()
            .await?)
    }

    /// Submits a source; the id of its submission.
    pub async fn submit(&self, exercise: &str, source: &str) -> anyhow::Result<String> {
        let response = self.post(exercise, form(source.as_bytes(), None)).await?;
        let status = response.status();
        let body: serde_json::Value = response.json().await?;
        body["submission"].as_str().map(str::to_owned).with_context(|| format!("{status}: {body}"))
    }

    /// The stream of a submission after an event number, read to its end: numbers and events.
    pub async fn events(&self, submission: &str, after: i32) -> anyhow::Result<Vec<(i32, GradeEvent)>> {
        let request =
            self.client.get(format!("{}/s/{submission}/events", self.base)).header("Last-Event-ID", after.to_string());
        let text = request.send().await?.error_for_status()?.text().await?;
        let field = |block: &str, name: &str| {
            block.lines().find_map(|line| line.strip_prefix(name).map(|rest| rest.trim().to_owned()))
        };
        text.split("\n\n")
            .filter_map(|block| Some((field(block, "id:")?, field(block, "data:")?)))
            .map(|(id, data)| Ok((id.parse()?, serde_json::from_str(&data)?)))
            .collect()
    }

    /// Waits for the verdict, over restarts of the server too.
    pub async fn verdict(&self, submission: &str) -> anyhow::Result<Verdict> {
        let begun = std::time::Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Ok(events) = self.events(submission, 0).await
                && let Some((_, GradeEvent::Finished { verdict })) = events.into_iter().next_back()
            {
                return Ok(*verdict);
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        bail!("no verdict of {submission}")
    }

    /// Submits and waits for the verdict.
    pub async fn judge(&self, exercise: &str, source: &str) -> anyhow::Result<Verdict> {
        let submission = self.submit(exercise, source).await?;
        self.verdict(&submission).await
    }
}

/// A form body; every byte of the source is escaped, so that any bytes can be sent.
pub fn form(source: &[u8], request_key: Option<&str>) -> Vec<u8> {
    let mut body = b"source=".to_vec();
    for byte in source {
        if byte.is_ascii_alphanumeric() {
            body.push(*byte);
        } else {
            body.extend(format!("%{byte:02X}").into_bytes());
        }
    }
    if let Some(key) = request_key {
        body.extend(format!("&request_key={key}").into_bytes());
    }
    body
}
