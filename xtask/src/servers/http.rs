//! Just enough HTTP to ask a server on this machine how it is: one GET, no keep-alive, no redirects.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(3);

/// Whether something accepts connections on the port.
pub(crate) fn listens(port: u16) -> bool {
    connect(port).is_some()
}

/// The answer to `GET path` if its status is 2xx: head and body, undecoded.
pub(crate) fn get(port: u16, path: &str) -> Option<String> {
    request(port, "GET", path)
}

/// Sends a request without a body; the answer if its status is 2xx.
pub(crate) fn request(port: u16, method: &str, path: &str) -> Option<String> {
    let mut stream = connect(port)?;
    write!(stream, "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 0\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1)?;
    status.starts_with('2').then_some(answer)
}

/// One MBean of a Hadoop daemon, as the JSON text that /jmx answers.
pub(crate) fn jmx(port: u16, bean: &str) -> Option<String> {
    get(port, &format!("/jmx?qry={bean}"))
}

/// The value of `"key" : value` in Hadoop's JSON, without quotes.
pub(crate) fn field<'a>(json: &'a str, key: &str) -> Option<&'a str> {
    let after = json.split_once(&format!("\"{key}\" : "))?.1;
    match after.strip_prefix('"') {
        Some(text) => text.split('"').next(),
        None => after.split([',', '\n', ' ', '}']).next(),
    }
}

fn connect(port: u16) -> Option<TcpStream> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    Some(stream)
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn fields_are_found_with_and_without_quotes() {
        let json = "{\n  \"State\" : \"active\",\n  \"NumLiveDataNodes\" : 1,\n  \"Safemode\" : \"\"\n}";
        assert_eq!(field(json, "State"), Some("active"));
        assert_eq!(field(json, "NumLiveDataNodes"), Some("1"));
        assert_eq!(field(json, "Safemode"), Some(""));
        assert_eq!(field(json, "Absent"), None);
    }
}
