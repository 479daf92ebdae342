//! Messages as lines of JSON.
use serde::Deserialize;
use serde_json::Value;

/// More levels than any server sends by default, and still no danger to the stack of a caller.
const DEEPEST: usize = 1024;

/// Reads a line, or says what is wrong with it.
pub fn parse(message: &[u8]) -> Result<Value, &'static str> {
    if is_too_deep(message) {
        return Err("the server sent JSON with more than 1024 levels of arrays and objects");
    }
    let mut parser = serde_json::Deserializer::from_slice(message);
    parser.disable_recursion_limit();
    let found = Value::deserialize(&mut parser).and_then(|found| parser.end().map(|()| found));
    found.map_err(|_| "the server sent a line that is not JSON")
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

/// A message as it goes over the wire. Params that are null are left out.
pub fn line(mut message: Value, params: Value) -> Vec<u8> {
    if !params.is_null() {
        message["params"] = params;
    }
    let mut text = message.to_string().into_bytes();
    text.push(b'\n');
    text
}
