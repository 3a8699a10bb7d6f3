import { isObject } from "../object/json.ts";
import { counted } from "./collect-errors.ts";
import { compileExpression, type Expression } from "./cel/expression.ts";
import type { Shape } from "./cel/shape.ts";
import { CompileError, showError } from "./cel/syntax.ts";
import { optional, type Type } from "./cel/type.ts";
import { type FieldError, invalid, notSupported, required } from "./field-error.ts";
import { child } from "./path.ts";
import type { Schema, ValidationRule } from "./schema.ts";

/** One rule of `x-kubernetes-validations`, ready to run. */
export interface CompiledRule {
  readonly source: ValidationRule;
  readonly expression: Expression;
  readonly message: Expression | undefined;
  readonly fieldPath: readonly PathPart[];
  /** The rule uses `oldSelf`: it runs only if there is an old value, or if it sets `optionalOldSelf`. */
  readonly isTransition: boolean;
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

export interface RuleContext {
  readonly schema: Schema;
  readonly shape: Shape;
  /** Where the schema holds the rule. */
  readonly path: string;
  /** The list above the rule whose old and new items cannot be matched by key, if there is one. */
  readonly uncorrelatable: string | undefined;
}

/** Compiles a rule, or adds to `errors` what is wrong with it. */
export function compileRule(
  source: ValidationRule,
  context: RuleContext,
  errors: FieldError[],
): CompiledRule | undefined {
  const before = errors.length;
  const { path } = context;
  checkFields(source, path, errors);
  const fieldPath = source.fieldPath ? parseRuleFieldPath(source.fieldPath, context.schema) : [];
  if (!fieldPath) errors.push(invalid(child(path, "fieldPath"), source.fieldPath, "must be a valid path"));
  if (errors.length > before || !fieldPath) return undefined;

  const self = context.shape.type;
  const types = { self, oldSelf: source.optionalOldSelf ? optional(self) : self };
  const compiling = { source, types, path, errors };
  const expression = compilePart("rule", compiling);
  const message = source.messageExpression ? compilePart("messageExpression", compiling) : undefined;
  if (!expression) return undefined;
  const isTransition = expression.uses.has("oldSelf");
  if (isTransition && context.uncorrelatable !== undefined)
    errors.push(
      invalid(
        child(path, "rule"),
        source.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${context.uncorrelatable}`,
      ),
    );
  if (source.optionalOldSelf && !isTransition)
    errors.push(invalid(child(path, "optionalOldSelf"), true, "may not be set if oldSelf is not used in rule"));
  return errors.length > before ? undefined : { source, expression, message, fieldPath, isTransition };
}

function checkFields(source: ValidationRule, path: string, errors: FieldError[]): void {
  const { rule, message, messageExpression, reason } = source;
  if (rule.trim() === "") errors.push(required(child(path, "rule"), "rule is not specified"));
  if (messageExpression !== undefined && messageExpression !== "" && messageExpression.trim() === "")
    errors.push(required(child(path, "messageExpression"), "messageExpression must be non-empty if specified"));
  if (message !== undefined && message !== "" && message.trim() === "")
    errors.push(invalid(child(path, "message"), message, "message must be non-empty if specified"));
  else if (message?.trim().includes("\n"))
    errors.push(invalid(child(path, "message"), message, "must not contain line breaks"));
  else if (!message && rule.trim().includes("\n"))
    errors.push(required(child(path, "message"), "message must be specified if rule contains line breaks"));
  if (reason !== undefined && !reasons.includes(reason))
    errors.push(notSupported(child(path, "reason"), reason, reasons));
}

const parts = {
  rule: { yields: "bool", wrong: "cel expression must evaluate to a bool", failed: "compilation failed" },
  messageExpression: {
    yields: "string",
    wrong: "messageExpression must evaluate to a string",
    failed: "messageExpression compilation failed",
  },
} as const;

interface Compiling {
  readonly source: ValidationRule;
  readonly types: Readonly<Record<string, Type>>;
  readonly path: string;
  readonly errors: FieldError[];
}

function compilePart(part: keyof typeof parts, { source, types, path, errors }: Compiling): Expression | undefined {
  const { yields, wrong, failed } = parts[part];
  const text = source[part] ?? "";
  const fault = (detail: string) =>
    errors.push(
      counted({
        reason: "FieldValueInvalid",
        field: child(path, part),
        message: `Invalid value: ${asGo(source)}: ${detail}`,
      }),
    );
  try {
    const expression = compileExpression(text, types);
    if (expression.type.kind === yields || expression.type.kind === "dyn") return expression;
    fault(wrong);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    fault(`${failed}: ${showError(error, text)}`);
  }
  return undefined;
}

/** The rule as Go's encoder writes kube-apiserver's internal type, which is what its messages contain. */
function asGo(source: ValidationRule): string {
  const text = JSON.stringify({
    Rule: source.rule,
    Message: source.message ?? "",
    MessageExpression: source.messageExpression ?? "",
    Reason: source.reason ?? null,
    FieldPath: source.fieldPath ?? "",
    OptionalOldSelf: source.optionalOldSelf ?? null,
  });
  return text.replaceAll(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A step from the value of a rule to the field that its `fieldPath` names. */
export type PathPart = { readonly property: string } | { readonly key: string };

const step = /\.([A-Za-z_][A-Za-z0-9_]*)|\['((?:[^'\\]|\\.)*)'\]/y;

/** Reads `.spec.names['a-b']` along a schema; undefined where it names no field. A path cannot lead into a list. */
function parseRuleFieldPath(text: string, schema: Schema): PathPart[] | undefined {
  const parts: PathPart[] = [];
  let at = 0;
  let here: Schema | undefined = schema;
  while (at < text.length) {
    step.lastIndex = at;
    const match = step.exec(text);
    if (!match || !here) return undefined;
    const name: string = match[1] ?? (match[2] ?? "").replaceAll(/\\(.)/g, "$1");
    const { properties, additionalProperties }: Schema = here;
    if (properties && Object.hasOwn(properties, name)) {
      parts.push({ property: name });
      here = properties[name];
    } else if (isObject(additionalProperties)) {
      parts.push({ key: name });
      here = additionalProperties;
    } else return undefined;
    at += match[0].length;
  }
  return parts.length > 0 ? parts : undefined;
}
