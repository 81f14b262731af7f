//! Floats of 16 bits on the host: binary16 and bfloat16, from and to `f64`.
//!
//! Written out because the processor may lack them and two formats need one rounding: to nearest, ties to even.

/// A layout of sign, exponent and fraction in 16 bits.
#[derive(Clone, Copy, Debug)]
pub struct Half {
    /// Bits of the fraction.
    fraction_bits: i32,
}

/// IEEE 754 binary16: 5 bits of exponent, 10 of fraction.
pub const F16: Half = Half { fraction_bits: 10 };
/// The upper half of a binary32: 8 bits of exponent, 7 of fraction.
pub const BF16: Half = Half { fraction_bits: 7 };

impl Half {
    fn exponent_bits(self) -> i32 {
        15 - self.fraction_bits
    }

    fn bias(self) -> i32 {
        (1 << (self.exponent_bits() - 1)) - 1
    }

    /// The nearest value's bits; past the largest it is infinity, and a NaN stays one.
    pub fn bits(self, value: f64) -> u16 {
        let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
        let infinity = ((1_u16 << self.exponent_bits()) - 1) << self.fraction_bits;
        if value.is_nan() {
            return sign | infinity | 1 << (self.fraction_bits - 1);
        }
        let magnitude = value.abs();
        // The exponent of f64, at least that of the smallest normal number here; f64's own subnormals round to 0.
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - self.bias());
        if exponent > self.bias() {
            return sign | infinity;
        }
        // Scaling by powers of two is exact, so this is the only rounding.
        let units = (magnitude * 2_f64.powi(self.fraction_bits - exponent)).round_ties_even() as u16;
        // A normal number's leading one adds 1 to the exponent's field, and so does a carry: up to infinity.
        let field = (exponent + self.bias() - 1) as u16;
        sign | ((field << self.fraction_bits) + units).min(infinity)
    }

    /// The value of these bits.
    pub fn value(self, bits: u16) -> f64 {
        let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
        let field = i32::from((bits & 0x7fff) >> self.fraction_bits);
        let fraction = f64::from(bits & ((1 << self.fraction_bits) - 1));
        if field == (1 << self.exponent_bits()) - 1 {
            return if fraction == 0.0 { sign * f64::INFINITY } else { f64::NAN };
        }
        let whole = if field == 0 { 0.0 } else { f64::from(1 << self.fraction_bits) };
        sign * (whole + fraction) * 2_f64.powi(field.max(1) - self.bias() - self.fraction_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_reads_back() {
        for half in [F16, BF16] {
            for bits in 0..=u16::MAX {
                let value = half.value(bits);
                if value.is_nan() {
                    assert!(half.value(half.bits(value)).is_nan(), "{half:?} {bits:x}");
                } else {
                    assert_eq!(half.bits(value), bits, "{half:?} {value}");
                }
            }
        }
    }

    fn check(half: Half, value: f64, expect: u16) {
        assert_eq!(half.bits(value), expect, "{half:?} {value}: {:x}", half.bits(value));
    }

    #[test]
    fn numbers_round_to_nearest_even() {
        check(F16, 1.0, 0x3c00);
        check(F16, -2.5, 0xc100);
        check(F16, 65_504.0, 0x7bff);
        check(F16, 65_519.9, 0x7bff);
        check(F16, 65_520.0, 0x7c00);
        check(F16, 1e300, 0x7c00);
        check(F16, f64::NEG_INFINITY, 0xfc00);
        check(F16, 2049.0, 0x6800);
        check(F16, 2051.0, 0x6802);
        check(F16, 2_f64.powi(-24), 1);
        check(F16, 2_f64.powi(-25), 0);
        check(F16, 1.5 * 2_f64.powi(-24), 2);
        check(F16, -0.0, 0x8000);
        check(F16, f64::MIN_POSITIVE / 4.0, 0);
        check(BF16, 1.0, 0x3f80);
        check(BF16, 257.0, 0x4380);
        check(BF16, 259.0, 0x4382);
        check(BF16, f64::from(f32::MAX), 0x7f80);
    }
}
