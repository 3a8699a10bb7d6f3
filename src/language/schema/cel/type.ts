/** The type of an expression, known at compile time. */
export type Type =
  | { kind: Scalar }
  | { kind: "list"; item: Type }
  | { kind: "map"; key: Type; value: Type }
  | { kind: "optional"; of: Type }
  | { kind: "object"; name: string; fields: ReadonlyMap<string, Type> }
  | OpaqueType;

/** A type that a library defines. Only the functions of the library can read its values. */
export interface OpaqueType {
  kind: "opaque";
  name: string;
}

export type Scalar =
  | "dyn"
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration"
  | "type"
  | "quantity"
  | "ip"
  | "cidr";

const scalar = <K extends Scalar>(kind: K): { kind: K } => ({ kind });

export const dyn = scalar("dyn");
export const nullType = scalar("null");
export const bool = scalar("bool");
export const int = scalar("int");
export const uint = scalar("uint");
export const double = scalar("double");
export const string = scalar("string");
export const bytes = scalar("bytes");
export const timestamp = scalar("timestamp");
export const duration = scalar("duration");
export const typeType = scalar("type");
export const quantity = scalar("quantity");
export const ip = scalar("ip");
export const cidr = scalar("cidr");
export const list = (item: Type): Type => ({ kind: "list", item });
export const map = (key: Type, value: Type): Type => ({ kind: "map", key, value });
export const opaque = (name: string): OpaqueType => ({ kind: "opaque", name });
export const optional = (of: Type): Type => ({ kind: "optional", of });

export function showType(type: Type): string {
  switch (type.kind) {
    case "list":
      return `list(${showType(type.item)})`;
    case "map":
      return `map(${showType(type.key)}, ${showType(type.value)})`;
    case "optional":
      return `optional_type(${showType(type.of)})`;
    case "object":
    case "opaque":
      return type.name;
    case "quantity":
      return "kubernetes.Quantity";
    case "ip":
      return "net.IP";
    case "cidr":
      return "net.CIDR";
    default:
      return type.kind;
  }
}

/** Whether a value of one type can be used as the other. `dyn` agrees with every type and is checked at run time. */
export function agree(a: Type, b: Type): boolean {
  if (a === b || a.kind === "dyn" || b.kind === "dyn") return true;
  if (a.kind === "list") return b.kind === "list" && agree(a.item, b.item);
  if (a.kind === "map") return b.kind === "map" && agree(a.key, b.key) && agree(a.value, b.value);
  if (a.kind === "null") return nullable.has(b.kind);
  if (b.kind === "null") return nullable.has(a.kind);
  if (a.kind === "optional") return b.kind === "optional" && agree(a.of, b.of);
  if (a.kind === "object" || a.kind === "opaque") return b.kind === a.kind && a.name === b.name;
  return a.kind === b.kind;
}

/** Types that cel-go lets be compared with null. Those of libraries and optionals are opaque to it. */
const nullable: ReadonlySet<Type["kind"]> = new Set([
  "null",
  "object",
  "opaque",
  "optional",
  "quantity",
  "ip",
  "cidr",
  "timestamp",
  "duration",
]);

/** The more specific of two types that agree. */
export function join(a: Type, b: Type): Type {
  return a.kind === "dyn" ? b : a;
}

export function isDynamic(type: Type): boolean {
  return type.kind === "dyn";
}
