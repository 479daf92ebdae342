//! Values between Rust and JSON: bytes as base64, times in RFC 3339, durations in ISO 8601.
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A type whose JSON form is not serde's own.
pub trait Wire: Sized {
    fn text(&self) -> Value;
    fn read(value: &Value) -> Option<Self>;
}

impl Wire for Vec<u8> {
    fn text(&self) -> Value {
        bytes_text(self).into()
    }
    fn read(value: &Value) -> Option<Self> {
        read_bytes(value.as_str()?)
    }
}

impl Wire for SystemTime {
    fn text(&self) -> Value {
        time_text(*self).into()
    }
    fn read(value: &Value) -> Option<Self> {
        read_time(value.as_str()?)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn text(&self) -> Value {
        self.as_ref().map_or(Value::Null, Wire::text)
    }
    fn read(value: &Value) -> Option<Self> {
        if value.is_null() {
            return Some(None);
        }
        T::read(value).map(Some)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn text(&self) -> Value {
        self.iter().map(Wire::text).collect()
    }
    fn read(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(T::read).collect()
    }
}

/// For `#[serde(with)]`.
pub fn serialize<T: Wire, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.text().serialize(to)
}

/// For `#[serde(with)]`.
pub fn deserialize<'de, T: Wire, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    read_wire(Value::deserialize(from)?)
}

pub fn read_wire<T: Wire, E: serde::de::Error>(value: Value) -> Result<T, E> {
    T::read(&value).ok_or_else(|| E::custom("not base64, not a time, or not a duration"))
}

pub fn read_json<T: DeserializeOwned>(value: Value) -> serde_json::Result<T> {
    serde_json::from_value(value)
}

/// The JSON of a parameter or an answer. Their types have only names as keys, so this cannot fail.
pub fn json<T: Serialize>(value: T) -> Value {
    serde_json::to_value(value).expect("a value of the schema has a JSON form")
}

/// Each item as a string of its own.
pub fn strings<T: Into<String>>(items: impl IntoIterator<Item = T>) -> Vec<String> {
    items.into_iter().map(Into::into).collect()
}

/// The base64 of each item.
pub fn texts(items: Option<&[&[u8]]>) -> Option<Vec<String>> {
    items.map(|items| items.iter().map(|item| bytes_text(item)).collect())
}

/// A number, or a text that the server refuses: JSON has no infinite numbers, and null would unset a setting.
pub fn number(value: f64) -> Value {
    if value.is_finite() {
        return value.into();
    }
    value.to_string().into()
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding.
pub fn bytes_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity((bytes.len() + 2) / 3 * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

pub fn read_bytes(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if text.len() % 4 != 0 {
        return None;
    }
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    if padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in text[..text.len() - padding].chunks(4) {
        let bits = group.iter().try_fold(0, |bits: u32, byte| Some(bits << 6 | digit_value(*byte)?))?;
        let whole = bits << (6 * (4 - group.len()));
        if whole & (0xFF_FFFF >> (8 * (group.len() - 1))) != 0 {
            return None; // Bits that no byte has.
        }
        bytes.extend(&whole.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

fn digit_value(byte: u8) -> Option<u32> {
    match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

const DAY: i64 = 86_400;

/// A time in UTC with milliseconds, such as 2026-01-31T09:30:00.000Z.
pub fn time_text(time: SystemTime) -> String {
    let (seconds, milliseconds) = since_epoch(time);
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let second = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

/// Whole seconds since 1970, rounded down, and the milliseconds after them.
fn since_epoch(time: SystemTime) -> (i64, u32) {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => (after.as_secs() as i64, after.subsec_millis()),
        Err(error) => {
            let milliseconds = -(error.duration().as_millis() as i64);
            (milliseconds.div_euclid(1000), milliseconds.rem_euclid(1000) as u32)
        }
    }
}

pub fn read_time(text: &str) -> Option<SystemTime> {
    let (date, clock, rest) = (text.get(..10)?, text.get(11..19)?, text.get(19..)?);
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(clock, ':', [2, 2, 2])?;
    let sane = matches!(text.as_bytes()[10], b'T' | b't')
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    let (nanoseconds, zone) = fraction(rest)?;
    let seconds = days(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset(zone)?;
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let time = if seconds < 0 { UNIX_EPOCH.checked_sub(whole)? } else { UNIX_EPOCH.checked_add(whole)? };
    time.checked_add(Duration::from_nanos(nanoseconds)).filter(|_| sane)
}

/// The nanoseconds of a fraction of a second, and the text after it.
fn fraction(text: &str) -> Option<(u64, &str)> {
    let text = match text.strip_prefix('.') {
        Some(digits) => digits,
        None => return Some((0, text)),
    };
    let end = text.find(|letter: char| !letter.is_ascii_digit())?;
    let digits: String = text[..end].chars().chain("000000000".chars()).take(9).collect();
    Some((digits.parse().ok().filter(|_| end > 0)?, &text[end..]))
}

/// The seconds that a zone such as Z or +02:00 is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.get(..1)? {
        "Z" | "z" if zone.len() == 1 => return Some(0),
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let [hours, minutes] = numbers(&zone[1..], ':', [2, 2])?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Numbers of so many digits, with a separator between them.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[i64; N]> {
    let mut found = [0; N];
    let mut parts = text.split(separator);
    for (number, count) in found.iter_mut().zip(digits) {
        *number = parts.next().filter(|part| part.len() == count).and_then(whole_number)?;
    }
    parts.next().is_none().then_some(found)
}

fn whole_number(text: &str) -> Option<i64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Days from 1970-01-01 to a date of the Gregorian calendar. A year begins in March here, so that February ends it.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let month = (month + 9) % 12;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day
        - 719_469
}

fn date(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let of_era = day.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let turn = i64::from(month >= 10);
    (era * 400 + year + turn, month + 3 - 12 * turn, of_year - (153 * month + 2) / 5 + 1)
}

/// A duration such as P1DT3600S. The server takes whole seconds only, and says so.
pub fn duration_text(length: Duration) -> String {
    let (days, seconds) = (length.as_secs() / DAY as u64, length.as_secs() % DAY as u64);
    match length.subsec_nanos() {
        0 => format!("P{days}DT{seconds}S"),
        nanoseconds => format!("P{days}DT{seconds}.{nanoseconds:09}S"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_base64_with_padding() {
        let known: [(&[u8], &str); 6] = [
            (b"", ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"\x00\xff", "AP8="),
            (b"\xfb\xff", "+/8="),
        ];
        for (bytes, text) in known {
            assert_eq!(bytes_text(bytes), text);
            assert_eq!(read_bytes(text).as_deref(), Some(bytes));
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(read_bytes(&bytes_text(&all)), Some(all));
    }

    #[test]
    fn what_is_not_base64_is_refused() {
        for text in ["Zg", "Zg=", "Zh==", "Zm9=", "====", "Zg==Zg==", "Z g=", "Zm-_", "Zgé"] {
            assert_eq!(read_bytes(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_goes_there_and_back() {
        for text in ["1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "1969-12-31T23:59:59.999Z"] {
            assert_eq!(time_text(read_time(text).unwrap()), text);
        }
        for (text, same) in [
            ("2026-03-01T01:30:00+02:00", "2026-02-28T23:30:00.000Z"),
            ("1600-02-29t00:00:00.5z", "1600-02-29T00:00:00.500Z"),
            ("2100-03-01T00:00:00.0001239999-00:30", "2100-03-01T00:30:00.000Z"),
        ] {
            assert_eq!(time_text(read_time(text).unwrap()), same);
        }
    }

    #[test]
    fn what_is_not_a_time_is_refused() {
        for text in [
            "",
            "2026-03-01",
            "2026-03-01T01:30:00",
            "2026-13-01T01:30:00Z",
            "2026-03-01T24:00:00Z",
            "2026-03-01 01:30:00Z",
            "2026-03-01T01:30:00.Z",
            "2026-03-01T01:30:00+2:00",
            "2026-03-01T01:30:0éZ",
        ] {
            assert_eq!(read_time(text), None, "{text}");
        }
    }

    #[test]
    fn a_duration_has_days_and_seconds() {
        assert_eq!(duration_text(Duration::from_secs(90_061)), "P1DT3661S");
        assert_eq!(duration_text(Duration::from_millis(1500)), "P0DT1.500000000S");
    }

    #[test]
    fn a_number_that_json_lacks_becomes_a_text() {
        assert_eq!(number(2.5), 2.5);
        assert_eq!(number(f64::NAN), "NaN");
    }
}
