/** An exact amount: `mantissa × 10^exponent`, in steps of at least a billionth, and the kind of suffix it was written with. */
export interface Quantity {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly format: "decimal" | "binary" | "exponent";
}

export class QuantityError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "QuantityError";
  }
}

const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const decimalNames = new Map([...decimalSuffixes].map(([name, exponent]) => [exponent, name]));
const binaryNames = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const binarySuffixes: ReadonlyMap<string, number> = new Map(binaryNames.slice(1).map((name, i) => [name, i + 1]));

const shape = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const scientific = /^[eE]([-+]?[0-9]{1,4})$/;
const smallest = -9;
/** Kubernetes caps binary amounts here, and not decimal ones. */
const largestBinary = 2n ** 63n - 1n;
/** Longer numbers are no real amounts, and would take long to parse. */
const longestText = 256;
const largestExponent = 1000;

/** A cache: the same amounts come again and again, in every review of a pod some forty times. */
const known = new Map<string, Quantity>();
const mostKnown = 1000;

export function parseQuantity(text: string): Quantity {
  let quantity = known.get(text);
  if (!quantity) {
    quantity = parsed(text);
    if (known.size === mostKnown) known.clear();
    known.set(text, quantity);
  }
  return quantity;
}

function parsed(text: string): Quantity {
  const match = text === "" || text.length > longestText ? null : shape.exec(text);
  if (!match)
    throw new QuantityError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  const digits = BigInt(`0${whole}${fraction}`);
  const mantissa = sign === "-" ? -digits : digits;
  const exponent = -fraction.length;

  const decimal = decimalSuffixes.get(suffix);
  if (decimal !== undefined) return rounded(mantissa, exponent + decimal, "decimal");
  const binary = binarySuffixes.get(suffix);
  if (binary !== undefined) return capped(rounded(mantissa * 1024n ** BigInt(binary), exponent, "binary"));
  const written = scientific.exec(suffix);
  if (!written || Math.abs(Number(written[1])) > largestExponent)
    throw new QuantityError("unable to parse quantity's suffix");
  return rounded(mantissa, exponent + Number(written[1]), "exponent");
}

export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

/** The canonical form: `0.1` → `100m`, `1024Mi` → `1Gi`. */
export function canonicalQuantity(text: string): string {
  return formatQuantity(parseQuantity(text));
}

export function formatQuantity({ mantissa, exponent, format }: Quantity): string {
  if (mantissa === 0n) return "0";
  if (format === "binary" && exponent >= 0) {
    let number = mantissa * 10n ** BigInt(exponent);
    if (number >= 1024n || number <= -1024n) {
      let power = 0;
      while (power < 6 && number % 1024n === 0n) {
        number /= 1024n;
        power++;
      }
      return `${number}${binaryNames[power]}`;
    }
  }
  // Suffixes end at E; exponents have no limit.
  let power = Math.floor(exponent / 3) * 3;
  if (format !== "exponent") power = Math.min(power, 18);
  const number = mantissa * 10n ** BigInt(exponent - power);
  if (format === "exponent") return power === 0 ? `${number}` : `${number}e${power}`;
  return `${number}${decimalNames.get(power) ?? ""}`;
}

/** Rounds away from zero to a multiple of 10^scale: resource lists are stored in thousandths. */
export function roundUpQuantity(quantity: Quantity, scale: number): Quantity {
  if (quantity.exponent >= scale) return quantity;
  const unit = 10n ** BigInt(scale - quantity.exponent);
  const { mantissa } = quantity;
  const away = mantissa % unit === 0n ? 0n : mantissa < 0n ? -1n : 1n;
  return stripped(mantissa / unit + away, scale, quantity.format);
}

export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const low = Math.min(a.exponent, b.exponent);
  const left = a.mantissa * 10n ** BigInt(a.exponent - low);
  const right = b.mantissa * 10n ** BigInt(b.exponent - low);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const low = Math.min(a.exponent, b.exponent);
  const sum = a.mantissa * 10n ** BigInt(a.exponent - low) + b.mantissa * 10n ** BigInt(b.exponent - low);
  return stripped(sum, low, a.mantissa === 0n ? b.format : a.format);
}

export function negateQuantity({ mantissa, exponent, format }: Quantity): Quantity {
  return { mantissa: -mantissa, exponent, format };
}

/** The amount as an integer; undefined if it has a fraction or exceeds 64 bits. */
export function integerOf({ mantissa, exponent }: Quantity): bigint | undefined {
  if (mantissa === 0n) return 0n;
  if (exponent < 0 || exponent > 18) return undefined;
  const value = mantissa * 10n ** BigInt(exponent);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

export function approximately({ mantissa, exponent }: Quantity): number {
  return Number(`${mantissa}e${exponent}`);
}

function rounded(mantissa: bigint, exponent: number, format: Quantity["format"]): Quantity {
  return roundUpQuantity(stripped(mantissa, exponent, format), smallest);
}

function stripped(mantissa: bigint, exponent: number, format: Quantity["format"]): Quantity {
  if (mantissa === 0n) return { mantissa, exponent: 0, format };
  while (mantissa % 10n === 0n) {
    mantissa /= 10n;
    exponent++;
  }
  return { mantissa, exponent, format };
}

function capped(quantity: Quantity): Quantity {
  const limit: Quantity = { mantissa: largestBinary, exponent: 0, format: "binary" };
  if (compareQuantities(quantity, limit) > 0) return limit;
  const least = negateQuantity(limit);
  return compareQuantities(quantity, least) < 0 ? least : quantity;
}
