//! Free ports: chosen when a server first starts, then kept in its `ports` file, so that one of its processes
//! can die and come back at the same address.
//!
//! They are taken from below the kernel's range for outgoing connections. A port that the kernel hands out
//! (`bind` to port 0) could be some client's own end by the time a killed DataNode wants it back.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

const LOWEST: u16 = 12_000;
const HIGHEST: u16 = 32_000;
const TRIES: u32 = 2_000;
const KEPT_TRIES: u32 = 20;
const KEPT_PAUSE: Duration = Duration::from_millis(25);

/// Ports by name.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Ports(BTreeMap<String, u16>);

impl Ports {
    /// Reads `name=port` lines; no file means no ports.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).with_context(|| format!("cannot understand {}", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    fn parse(text: &str) -> Result<Self> {
        let mut ports = BTreeMap::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let (name, port) = line.split_once('=').with_context(|| format!("no `=` in `{line}`"))?;
            ports.insert(name.to_owned(), port.parse().with_context(|| format!("no port in `{line}`"))?);
        }
        Ok(Self(ports))
    }

    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let lines: String = self.0.iter().map(|(name, port)| format!("{name}={port}\n")).collect();
        fs::write(path, lines).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Gives each name a port: the one it had if that is still free, else a new one.
    pub(crate) fn choose(&mut self, names: &[&'static str]) -> Result<()> {
        // Held until all are chosen, so that no port is chosen twice.
        let mut held = Vec::new();
        for name in names {
            let kept = self.0.get(*name).and_then(|port| bind_patiently(*port));
            let listener = match kept {
                Some(listener) => listener,
                None => find_free()?,
            };
            let port = listener.local_addr().context("a bound socket has no address")?.port();
            self.0.insert((*name).to_owned(), port);
            held.push(listener);
        }
        Ok(())
    }

    pub(crate) fn port(&self, name: &str) -> u16 {
        self.0.get(name).copied().unwrap_or(0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, u16)> {
        self.0.iter().map(|(name, port)| (name.as_str(), *port))
    }
}

fn bind(port: u16) -> Option<TcpListener> {
    // Free on every address: somebody's 0.0.0.0:port would answer our clients as well.
    drop(TcpListener::bind(("0.0.0.0", port)).ok()?);
    TcpListener::bind(("127.0.0.1", port)).ok()
}

/// A port that we had: what still holds it may be on its way out, such as a child that has yet to become its program.
fn bind_patiently(port: u16) -> Option<TcpListener> {
    (0..KEPT_TRIES).find_map(|attempt| {
        if attempt > 0 {
            std::thread::sleep(KEPT_PAUSE);
        }
        bind(port)
    })
}

fn find_free() -> Result<TcpListener> {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
    let mut random = nanos ^ std::process::id().rotate_left(16);
    for _ in 0..TRIES {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let span = u32::from(HIGHEST - LOWEST);
        // The upper bits of such a generator are the good ones.
        let port = LOWEST + u16::try_from((random >> 8) % span).context("a port fits in 16 bits")?;
        if let Some(listener) = bind(port) {
            return Ok(listener);
        }
    }
    bail!("no free port between {LOWEST} and {HIGHEST} in {TRIES} tries; what is listening there? (ss -ltn)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_kept_while_it_is_free_and_replaced_when_it_is_taken() {
        let mut ports = Ports::default();
        ports.choose(&["a", "b"]).unwrap();
        let first = ports.clone();
        assert_ne!(first.port("a"), first.port("b"));
        ports.choose(&["a", "b"]).unwrap();
        assert_eq!(ports, first);
        let _taken = TcpListener::bind(("127.0.0.1", first.port("a"))).unwrap();
        ports.choose(&["a", "b"]).unwrap();
        assert_ne!(ports.port("a"), first.port("a"));
        assert_eq!(ports.port("b"), first.port("b"));
    }

    #[test]
    fn the_file_reads_back_and_a_bad_line_is_named() {
        let ports = Ports::parse("a=12000\nb=12001\n").unwrap();
        assert_eq!((ports.port("a"), ports.port("b"), ports.port("c")), (12000, 12001, 0));
        assert!(format!("{:#}", Ports::parse("a=x").unwrap_err()).contains("a=x"));
    }
}
