import { compareQuantities, integerOf, parseQuantity, type Quantity } from "../../../language/object/quantity.ts";
import { qualifiedName } from "../../../language/object/names.ts";
import { type FieldError, invalid, required } from "../../../language/schema/field-error.ts";

export type ResourceAmounts = Readonly<Record<string, string>>;

const zero = parseQuantity("0");
const computeResources = new Set(["cpu", "memory", "ephemeral-storage"]);
const hugePages = "hugepages-";

/** Limits and requests of a container: names, amounts, and no request above its limit. */
export function validateContainerResources(
  { limits = {}, requests = {} }: { limits?: ResourceAmounts | undefined; requests?: ResourceAmounts | undefined },
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, text] of Object.entries(limits))
    errors.push(...validateAmount(name, text, `${at}.limits[${name}]`));
  for (const [name, text] of Object.entries(requests)) {
    errors.push(...validateAmount(name, text, `${at}.requests[${name}]`));
    errors.push(...validateAgainstLimit(name, text, limits, at));
  }
  return errors;
}

function validateAgainstLimit(name: string, text: string, limits: ResourceAmounts, at: string): FieldError[] {
  const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
  const shared = canOvercommit(name);
  if (limit === undefined)
    return shared ? [] : [required(`${at}.limits`, "Limit must be set for non overcommitable resources")];
  const order = compareQuantities(parseQuantity(text), parseQuantity(limit));
  if (!shared && order !== 0) return [invalid(`${at}.requests`, text, `must be equal to ${name} limit of ${limit}`)];
  if (order > 0) return [invalid(`${at}.requests`, text, `must be less than or equal to ${name} limit of ${limit}`)];
  return [];
}

function validateAmount(name: string, text: string, field: string): FieldError[] {
  const errors = validateName(name, field);
  const amount = parseQuantity(text);
  errors.push(...notNegative(text, field, amount));
  if (name.startsWith(hugePages)) errors.push(...validateHugePages(name, text, amount, field));
  else if (name.includes("/") && integerOf(amount) === undefined)
    errors.push(invalid(field, text, "must be an integer"));
  return errors;
}

function validateName(name: string, field: string): FieldError[] {
  const errors = qualifiedName(name).map((reason) => invalid(field, name, reason));
  if (errors.length > 0 || name.includes("/") || computeResources.has(name) || name.startsWith(hugePages))
    return errors;
  return [
    invalid(field, name, "must be a standard resource type or fully qualified"),
    invalid(field, name, "must be a standard resource for containers"),
  ];
}

function validateHugePages(name: string, text: string, amount: Quantity, field: string): FieldError[] {
  const page = pageSize(name);
  const bytes = integerOf(amount);
  if (page !== undefined && bytes !== undefined && bytes % page === 0n) return [];
  return [invalid(field, text, `${text} is not positive integer multiple of ${name}`)];
}

function pageSize(name: string): bigint | undefined {
  try {
    const size = integerOf(parseQuantity(name.slice(hugePages.length)));
    return size === undefined || size <= 0n ? undefined : size;
  } catch {
    return undefined;
  }
}

export function notNegative(text: string, field: string, amount = parseQuantity(text)): FieldError[] {
  return compareQuantities(amount, zero) < 0 ? [invalid(field, text, "must be greater than or equal to 0")] : [];
}

/** Huge pages and extended resources cannot be overcommitted: the request equals the limit. */
export function canOvercommit(name: string): boolean {
  return (
    !name.startsWith(hugePages) && (!name.includes("/") || name.slice(0, name.indexOf("/")).endsWith("kubernetes.io"))
  );
}
