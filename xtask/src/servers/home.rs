//! Where things are: the repository, the download cache, and the directory of one server.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::ports::Ports;

/// The directory of one server, with its ports.
///
/// `conf/` is written anew at each start, `data/` goes with `--wipe`, `logs/` has a file for each process,
/// `run/` the pid files.
pub(crate) struct Home {
    server: &'static str,
    dir: PathBuf,
    ports: Ports,
}

impl Home {
    /// The home of a server that may never have been started.
    pub(crate) fn open(server: &'static str) -> Result<Self> {
        let dir = state_dir()?.join(server);
        let ports = Ports::load(&dir.join("ports"))?;
        Ok(Self { server, dir, ports })
    }

    /// Creates the directories and makes sure that every port in `names` is chosen, and free.
    ///
    /// Call it only when no process of the server is up.
    pub(crate) fn settle_in(&mut self, names: &[&'static str]) -> Result<()> {
        for sub in ["conf", "data", "logs", "run"] {
            let dir = self.dir.join(sub);
            fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        }
        self.ports.choose(names)?;
        self.ports.save(&self.dir.join("ports"))
    }

    /// Holds other xtasks off this server until the returned file is dropped.
    pub(crate) fn lock(&self) -> Result<File> {
        fs::create_dir_all(&self.dir).with_context(|| format!("cannot create {}", self.dir.display()))?;
        let path = self.dir.join("lock");
        let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        Ok(file)
    }

    /// Reads the ports again: another xtask may have chosen them while we waited for the lock.
    pub(crate) fn reload(&mut self) -> Result<()> {
        self.ports = Ports::load(&self.dir.join("ports"))?;
        Ok(())
    }

    /// Removes everything but the lock. Refuses a directory that does not look like a server's.
    pub(crate) fn wipe(&self) -> Result<()> {
        if !self.dir.exists() {
            return Ok(());
        }
        for sub in ["conf", "data", "logs", "run"] {
            let dir = self.dir.join(sub);
            if dir.exists() {
                fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))?;
            }
        }
        let ports = self.dir.join("ports");
        if ports.exists() {
            fs::remove_file(&ports).with_context(|| format!("cannot remove {}", ports.display()))?;
        }
        Ok(())
    }

    pub(crate) fn conf(&self) -> PathBuf {
        self.dir.join("conf")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    /// The log of a process, or of a step such as `format`.
    pub(crate) fn log(&self, of: &str) -> PathBuf {
        self.dir.join("logs").join(format!("{of}.log"))
    }

    pub(crate) fn pid_file(&self, process: &str) -> PathBuf {
        self.dir.join("run").join(format!("{process}.pid"))
    }

    /// Arguments that the command line of this process has, one or the other, and no other process' has:
    /// a system property for a JVM, a directory of data for a program that knows no such thing.
    pub(crate) fn marks(&self, process: &str) -> [String; 2] {
        let property = format!("-Dfsbench.process={}", self.dir.join(process).display());
        [property, self.data().join(process).display().to_string()]
    }

    /// A port by name; 0 when the server was never started.
    pub(crate) fn port(&self, name: &str) -> u16 {
        self.ports.port(name)
    }

    /// Fills in a template: `@DATA@`, `@DATA_URI@`, every port by its name, then `more`.
    pub(crate) fn fill(&self, template: &str, more: &[(&str, &str)]) -> String {
        let mut text = template.to_owned();
        for (key, value) in more {
            text = text.replace(&format!("@{key}@"), value);
        }
        for (name, port) in self.ports.iter() {
            text = text.replace(&format!("@{name}@"), &port.to_string());
        }
        text.replace("@DATA_URI@", &file_uri(&self.data())).replace("@DATA@", &xml(&self.data()))
    }

    /// Writes a filled-in template into `conf/`.
    pub(crate) fn write_conf(&self, file: &str, template: &str, more: &[(&str, &str)]) -> Result<()> {
        let path = self.conf().join(file);
        fs::write(&path, self.fill(template, more)).with_context(|| format!("cannot write {}", path.display()))
    }

    pub(crate) fn server(&self) -> &'static str {
        self.server
    }
}

fn xml(path: &Path) -> String {
    path.display().to_string().replace('&', "&amp;").replace('<', "&lt;")
}

/// A `file:` URI in which a space or a comma of the path is neither an error nor a separator to Hadoop.
fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => uri.push(char::from(*byte)),
            other => uri += &format!("%{other:02X}"),
        }
    }
    uri
}

/// The root of the checkout that this binary was built from, or that we stand in.
pub(crate) fn repo_root() -> Result<PathBuf> {
    let built_from = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = std::env::current_dir().context("cannot tell the current directory")?;
    let candidates = built_from.ancestors().skip(1).take(1).chain(here.ancestors());
    for dir in candidates {
        if dir.join("xtask/Cargo.toml").is_file() {
            return Ok(dir.to_owned());
        }
    }
    bail!("{} is gone and {} is not inside a checkout of fsbench", built_from.display(), here.display())
}

/// Where the servers keep their state: `$FSBENCH_SERVERS`, else `.servers` in the repository.
pub(crate) fn state_dir() -> Result<PathBuf> {
    let dir = match std::env::var_os("FSBENCH_SERVERS") {
        Some(dir) if !dir.is_empty() => PathBuf::from(dir),
        _ => repo_root()?.join(".servers"),
    };
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    // One name for one directory, or a server started through a symbolic link would not be known as ours.
    dir.canonicalize().with_context(|| format!("cannot resolve {}", dir.display()))
}

/// Where downloads are kept, for every clone on this machine.
pub(crate) fn cache_dir() -> Result<PathBuf> {
    if let Some(dir) = std::env::var_os("XDG_CACHE_HOME").filter(|dir| !dir.is_empty()) {
        return Ok(PathBuf::from(dir).join("fsbench"));
    }
    let home = std::env::var_os("HOME").context("neither XDG_CACHE_HOME nor HOME is set: where may downloads go?")?;
    Ok(PathBuf::from(home).join(".cache/fsbench"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_in_the_path_of_the_clone_is_escaped() {
        assert_eq!(file_uri(Path::new("/a b/c,d")), "file:///a%20b/c%2Cd");
    }
}
