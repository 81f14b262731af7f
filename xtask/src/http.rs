//! A client for the HTTP of our own server on this machine: plain, one request a connection.
//!
//! It exists to wait for health and to measure; it knows no TLS, no redirects and no reuse.

use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const BODY_BYTES_MAX: u64 = 16 << 20;

pub struct Request<'request> {
    pub method: &'request str,
    pub path: &'request str,
    pub headers: &'request [(&'request str, &'request str)],
    pub body: &'request str,
}

impl<'request> Request<'request> {
    pub fn get(path: &'request str) -> Self {
        Self { method: "GET", path, headers: &[], body: "" }
    }
}

/// A response whose body is still on its way.
pub struct Response {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    body: Box<dyn BufRead>,
}

impl Response {
    /// The whole body.
    pub fn text(self) -> Result<String> {
        let mut text = String::new();
        self.body.take(BODY_BYTES_MAX).read_to_string(&mut text)?;
        Ok(text)
    }

    /// The next line of a body that goes on, without its end; `None` after the last.
    pub fn next_line(&mut self) -> Result<Option<String>> {
        let mut line = String::new();
        if self.body.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
    }
}

/// Sends a request and reads the head of its response. Every read may take `timeout`.
pub fn send(address: SocketAddr, request: &Request, timeout: Duration) -> Result<Response> {
    let mut stream = TcpStream::connect_timeout(&address, timeout)?;
    stream.set_read_timeout(Some(timeout))?;
    stream.set_nodelay(true)?;
    let mut text = Vec::new();
    write!(text, "{} {} HTTP/1.1\r\n", request.method, request.path)?;
    write!(text, "Host: {address}\r\nConnection: close\r\n")?;
    for (name, value) in request.headers {
        write!(text, "{name}: {value}\r\n")?;
    }
    if request.method == "POST" {
        write!(text, "Content-Length: {}\r\n", request.body.len())?;
    }
    write!(text, "\r\n{}", request.body)?;
    stream.write_all(&text)?;
    read_head(BufReader::new(stream))
}

fn read_head(mut stream: impl BufRead + 'static) -> Result<Response> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .with_context(|| format!("`{}` is no status line", line.trim()))?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        ensure!(stream.read_line(&mut line)? > 0, "the response ends in its head");
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').context("a header has a colon")?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let is_chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body: Box<dyn BufRead> = if is_chunked {
        Box::new(BufReader::new(Chunked { stream, left_bytes: 0, is_over: false }))
    } else {
        Box::new(stream)
    };
    Ok(Response { status, headers, body })
}

/// Takes the chunk sizes out of a body (RFC 9112, section 7.1). Trailers are left unread.
struct Chunked<Stream> {
    stream: Stream,
    left_bytes: usize,
    is_over: bool,
}

impl<Stream: BufRead> Read for Chunked<Stream> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.is_over || buffer.is_empty() {
            return Ok(0);
        }
        if self.left_bytes == 0 {
            let mut line = String::new();
            // The end of the chunk before leaves an empty line.
            while line.trim().is_empty() {
                line.clear();
                if self.stream.read_line(&mut line)? == 0 {
                    return Err(std::io::ErrorKind::UnexpectedEof.into());
                }
            }
            let size = line.trim().split(';').next().unwrap_or_default();
            self.left_bytes = usize::from_str_radix(size, 16).map_err(std::io::Error::other)?;
            if self.left_bytes == 0 {
                self.is_over = true;
                return Ok(0);
            }
        }
        let wanted = self.left_bytes.min(buffer.len());
        let got = self.stream.read(&mut buffer[..wanted])?;
        self.left_bytes -= got;
        Ok(got)
    }
}

/// The body of a 200 answer.
pub fn get(address: SocketAddr, path: &str, timeout: Duration) -> Result<String> {
    let response = send(address, &Request::get(path), timeout)?;
    if response.status != 200 {
        bail!("{path} answers {}", response.status);
    }
    response.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(response: &'static str, status: u16, body: &str) {
        let response = read_head(response.as_bytes()).expect("the head is well formed");
        assert_eq!(response.status, status);
        assert_eq!(response.text().expect("the body is whole"), body);
    }

    #[test]
    fn bodies_end_with_the_stream_or_by_chunks() {
        check("HTTP/1.1 200 OK\r\nA: b\r\n\r\nhello", 200, "hello");
        check(
            "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
            404,
            "hello",
        );
    }

    #[test]
    fn a_cut_chunk_is_an_error() {
        let text = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n";
        let response = read_head(text.as_bytes()).expect("the head is well formed");
        assert!(response.text().is_err());
    }

    #[test]
    fn a_head_without_status_is_refused() {
        assert!(read_head("SSH-2.0\r\n\r\n".as_bytes()).is_err());
    }
}
