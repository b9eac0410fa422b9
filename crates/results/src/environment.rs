//! Where it was measured.

use serde::{Deserialize, Serialize};

/// Host, kernel, processor, memory, tool and target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Version of fsbench.
    pub fsbench: String,
    /// The program as it was called.
    pub executable: String,
    /// Host name.
    pub host: String,
    /// Operating system and kernel release, `Linux 6.1.0`.
    pub kernel: String,
    /// The processors.
    pub cpu: Cpu,
    /// Memory of the host in bytes.
    pub memory_bytes: u64,
    /// Load averages of 1, 5 and 15 minutes when the run began.
    pub load_average: Vec<f64>,
    /// What the target says of itself: file system type, mount, endpoint, client library, versions.
    pub target: Vec<Fact>,
}

/// One fact, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is about.
    pub name: String,
    /// What it says. Never a secret.
    pub value: String,
}

/// The processors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// Model name.
    pub model: String,
    /// How many this process may use.
    pub count: u32,
    /// Nominal clock in MHz, 0 when unknown.
    pub mhz: f64,
    /// Whether frequency scaling is on; `None` when the kernel does not say.
    pub scaling: Option<bool>,
    /// The caches.
    pub caches: Vec<Cache>,
}

/// One cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// `Data`, `Instruction` or `Unified`.
    #[serde(rename = "type")]
    pub kind: String,
    /// 1, 2, 3.
    pub level: u32,
    /// Bytes.
    pub size_bytes: u64,
    /// Logical processors that share it.
    pub num_sharing: u32,
}
