//! A client for mambridge, the Intune App SDK over JSON-RPC.
//!
//! ```no_run
//! use mambridge::{types::SaveLocation, Client};
//!
//! # fn main() -> mambridge::Result<()> {
//! let client = Client::spawn("mambridge", ["--tenant", "sample"])?;
//! client.enrollment_manager().register_and_enroll_account("alice@contoso.example").send()?;
//! client.policy().is_save_to_allowed_for_location(SaveLocation::LocalDrive).send()?;
//! client.close();
//! # Ok(())
//! # }
//! ```
//!
//! Calls block; any thread may make them. There is no async runtime.
#![deny(unsafe_code)]
// A newer schema may add a fractional number to a record, and such numbers have no Eq.
#![allow(clippy::derive_partial_eq_without_eq)]

mod client;
mod errors;
mod failures;
mod host;
mod inbox;
mod outbox;
mod reading;
mod request;
mod session;
mod streams;
mod values;
mod waiting;
mod wire;

pub mod events;
pub mod methods;
pub mod requests;
#[cfg(feature = "testing")]
pub mod testing;
pub mod types;

pub use client::{Builder, Client, Listener};
pub use errors::ErrorName;
pub use events::Event;
pub use failures::{ConnectionLost, Error, Result, ServerError};
pub use host::{Host, HostRequest};
pub use request::{CancelToken, Method, Progress, Request, Untyped};

/// The code of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
