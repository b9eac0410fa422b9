//! TLS on a connection's socket: rustls, driven by calls that wait or do not wait as the pipe says.

use crate::wire::Pipe;
use std::io::{self, IoSlice, Read, Write};
use tokio_rustls::rustls::ClientConnection;

/// TLS after its handshake.
pub(crate) struct Secure(ClientConnection);

impl Secure {
    pub(crate) fn new(connection: ClientConnection) -> Self {
        Self(connection)
    }

    /// Receives some bytes; none at the end of the connection, announced or not.
    pub(crate) fn receive(&mut self, into: &mut [u8], pipe: &mut Pipe<'_>) -> io::Result<usize> {
        loop {
            match self.0.reader().read(into) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                read => return read,
            }
            self.0.read_tls(pipe)?;
            let processed = self.0.process_new_packets();
            // What TLS itself has to say, an alert or a new key, goes out when it can.
            let _ = self.flush(pipe);
            processed.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        }
    }

    /// Accepts some bytes and sends what can be sent of them. With no pieces: sends what was accepted before.
    pub(crate) fn send(&mut self, pieces: &[IoSlice<'_>], pipe: &mut Pipe<'_>) -> io::Result<usize> {
        self.flush(pipe)?;
        let accepted = self.0.writer().write_vectored(pieces)?;
        match self.flush(pipe) {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(accepted),
        }
    }

    /// Whether bytes are still to be sent that were accepted.
    pub(crate) fn owes(&self) -> bool {
        self.0.wants_write()
    }

    fn flush(&mut self, pipe: &mut Pipe<'_>) -> io::Result<()> {
        while self.0.wants_write() {
            self.0.write_tls(pipe)?;
        }
        Ok(())
    }
}
