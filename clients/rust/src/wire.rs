//! Messages as lines of JSON.
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// More levels than any server sends by default, and still no danger to the stack of a caller.
const DEEPEST: usize = 1024;

/// Reads a line, or says what is wrong with it.
pub fn parse(message: &[u8]) -> Result<Value, &'static str> {
    read(message)
}

fn read<'m, T: Deserialize<'m>>(message: &'m [u8]) -> Result<T, &'static str> {
    if is_too_deep(message) {
        return Err("the server sent JSON with more than 1024 levels of arrays and objects");
    }
    let mut parser = serde_json::Deserializer::from_slice(message);
    parser.disable_recursion_limit();
    let found = T::deserialize(&mut parser).and_then(|found| parser.end().map(|()| found));
    found.map_err(|_| "the server sent a line that is not JSON")
}

/// What most lines are: the answer to one request.
#[derive(Deserialize)]
pub struct Answer {
    pub id: u64,
    #[serde(default, deserialize_with = "some")]
    pub result: Option<Value>,
    pub error: Option<Value>,
    #[serde(default, deserialize_with = "some")]
    method: Option<Value>,
}

/// A result may be null.
fn some<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// The answer, if the line is that and nothing else. Quicker than `parse`, because it makes a value only of the result.
pub fn parse_answer(line: &[u8]) -> Option<Answer> {
    let found: Answer = if line.starts_with(b"{") { read(line).ok()? } else { return None };
    found.method.is_none().then_some(found)
}

fn is_too_deep(message: &[u8]) -> bool {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    message.iter().any(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}

/// A request of the client or, without an id, its notification. Params that are null are left out.
#[derive(Serialize)]
pub struct Outgoing<'m> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'m str,
    #[serde(skip_serializing_if = "is_null")]
    params: &'m Value,
}

impl<'m> Outgoing<'m> {
    pub fn new(id: Option<u64>, method: &'m str, params: &'m Value) -> Self {
        Outgoing { jsonrpc: "2.0", id, method, params }
    }
}

fn is_null(params: &&Value) -> bool {
    params.is_null()
}

/// A message as it goes over the wire.
pub fn line(message: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec(message).unwrap_or_default(); // JSON can always be written.
    text.push(b'\n');
    text
}
