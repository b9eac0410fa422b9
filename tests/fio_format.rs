//! What `fsbench fio` prints and logs has fio's layout: the same keys, fields and lines, and the programs that read fio's
//! output read it.

mod support;

#[path = "fio_format/json.rs"]
mod json;
#[path = "fio_format/text.rs"]
mod text;
#[path = "fio_format/tools.rs"]
mod tools;
