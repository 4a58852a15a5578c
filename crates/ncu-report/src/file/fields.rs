//! Messages that `prost` reads, made of the table that lists their fields.
//!
//! `prost` has a derive for that, which is four crates to build first; the fields are read by the same functions.

/// Messages with their fields: `name: type = number (what it is in protobuf)`.
macro_rules! messages {
    ($($(#[$about:meta])* $message:ident {
        $($(#[$of:meta])* $field:ident: $type:ty = $number:literal ($kind:ident, $label:ident),)*
    })*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Debug, Default, PartialEq)]
            pub(super) struct $message {
                $($(#[$of])* pub(super) $field: $type,)*
            }

            impl prost::Message for $message {
                fn merge_field(
                    &mut self,
                    tag: u32,
                    wire_type: prost::encoding::WireType,
                    buf: &mut impl bytes::Buf,
                    ctx: prost::encoding::DecodeContext,
                ) -> Result<(), prost::DecodeError> {
                    match tag {
                        $($number => label!($label merge $kind, wire_type, self.$field, buf, ctx).map_err(|mut error| {
                            error.push(stringify!($message), stringify!($field));
                            error
                        }),)*
                        _ => prost::encoding::skip_field(wire_type, tag, buf, ctx),
                    }
                }

                fn encode_raw(&self, buf: &mut impl bytes::BufMut) {
                    $(label!($label encode $kind, $number, self.$field, buf);)*
                }

                fn encoded_len(&self) -> usize {
                    0 $(+ label!($label length $kind, $number, self.$field))*
                }

                fn clear(&mut self) {
                    *self = $message::default();
                }
            }
        )*
    };
}
pub(super) use messages;

/// A field that comes at most once, or any number of times.
macro_rules! label {
    (optional merge $kind:ident, $wire:expr, $field:expr, $buf:expr, $ctx:expr) => {
        prost::encoding::$kind::merge($wire, $field.get_or_insert_default(), $buf, $ctx)
    };
    (optional encode $kind:ident, $number:expr, $field:expr, $buf:expr) => {
        $field.iter().for_each(|value| prost::encoding::$kind::encode($number, value, $buf))
    };
    (optional length $kind:ident, $number:expr, $field:expr) => {
        $field.as_ref().map_or(0, |value| prost::encoding::$kind::encoded_len($number, value))
    };
    (repeated merge $kind:ident, $wire:expr, $field:expr, $buf:expr, $ctx:expr) => {
        prost::encoding::$kind::merge_repeated($wire, &mut $field, $buf, $ctx)
    };
    (repeated encode $kind:ident, $number:expr, $field:expr, $buf:expr) => {
        prost::encoding::$kind::encode_repeated($number, &$field, $buf)
    };
    (repeated length $kind:ident, $number:expr, $field:expr) => {
        prost::encoding::$kind::encoded_len_repeated($number, &$field)
    };
}
pub(super) use label;

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use prost::Message;

    messages! {
        Outer {
            text: Option<Bytes> = 1 (bytes, optional),
            float: Option<f64> = 2 (double, optional),
            flag: Option<bool> = 3 (bool, optional),
            one: Option<Inner> = 4 (message, optional),
            many: Vec<Inner> = 5 (message, repeated),
            texts: Vec<Bytes> = 16 (bytes, repeated),
        }
        Inner {
            sign: Option<i32> = 1 (int32, optional),
            numbers: Vec<u64> = 2 (uint64, repeated),
        }
    }

    fn inner(sign: i32, numbers: &[u64]) -> Inner {
        Inner { sign: Some(sign), numbers: numbers.to_vec() }
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let [a, b] = [b"a", b"b"].map(|text| Bytes::from_static(text));
        let (one, many) = (Some(inner(-1, &[u64::MAX, 1])), vec![Inner::default(), inner(7, &[300])]);
        let message = Outer { text: Some(a.clone()), float: Some(0.5), flag: Some(true), one, many, texts: vec![b, a] };
        let bytes = message.encode_to_vec();
        assert_eq!(bytes.len(), message.encoded_len());
        assert_eq!(Outer::decode(&bytes[..]), Ok(message));
        assert_eq!(Outer::decode(&b""[..]), Ok(Outer::default()));
    }

    #[test]
    fn fields_are_told_by_number_and_wire_type() {
        // A list of numbers in one piece and one by one; a field that nobody reads, and one twice, of which the last counts.
        let read = Inner::decode(&[0x12, 3, 1, 0xac, 2, 0x10, 9, 0x3a, 1, 0, 8, 4, 8, 5][..]);
        assert_eq!(read, Ok(inner(5, &[1, 300, 9])));
        let wrong = Outer::decode(&[0x22, 2, 0x0a, 0][..]).expect_err("a number that is bytes");
        assert!(wrong.to_string().contains("Inner.sign: Outer.one: invalid wire type"), "{wrong}");
        Outer::decode(&[0x0a, 5, b'a'][..]).expect_err("cut");
    }
}
