import type { Expression } from "./cel/expression.ts";
import { compileExpression } from "./cel/expression.ts";
import type { Shape } from "./cel/shape.ts";
import { CompileError, showError } from "./cel/syntax.ts";
import { optional, type Type } from "./cel/type.ts";
import { type FieldError, invalid, notSupported, required } from "./field-error.ts";
import { child } from "./path.ts";
import { parseRuleFieldPath, type PathPart } from "./rule-field-path.ts";
import type { Schema, ValidationRule } from "./schema.ts";

/** One rule of `x-kubernetes-validations`, ready to run. */
export interface CompiledRule {
  readonly source: ValidationRule;
  readonly expression: Expression;
  readonly message: Expression | undefined;
  readonly fieldPath: readonly PathPart[];
  /** The rule compares with the old value, and so runs only where there is one (or is told that there is none). */
  readonly isTransition: boolean;
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

export interface RuleContext {
  readonly schema: Schema;
  readonly shape: Shape;
  /** The rule's own place in the schema. */
  readonly path: string;
  /** The list below which old and new items cannot be told to be the same, if the rule stands below one. */
  readonly uncorrelatable: string | undefined;
}

/** Compiles a rule, or says what is wrong with it. */
export function compileRule(
  source: ValidationRule,
  context: RuleContext,
  errors: FieldError[],
): CompiledRule | undefined {
  const before = errors.length;
  const { path } = context;
  checkWords(source, path, errors);
  const fieldPath = source.fieldPath ? parseRuleFieldPath(source.fieldPath, context.schema) : [];
  if (!fieldPath) errors.push(invalid(child(path, "fieldPath"), source.fieldPath, "must be a valid path"));
  if (errors.length > before || !fieldPath) return undefined;

  const self = context.shape.type;
  const types = { self, oldSelf: source.optionalOldSelf ? optional(self) : self };
  const expression = compilePart(source, "rule", types, path, errors);
  const message = source.messageExpression ? compilePart(source, "messageExpression", types, path, errors) : undefined;
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

function checkWords(source: ValidationRule, path: string, errors: FieldError[]): void {
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

function compilePart(
  source: ValidationRule,
  part: keyof typeof parts,
  types: Record<string, Type>,
  path: string,
  errors: FieldError[],
): Expression | undefined {
  const { yields, wrong, failed } = parts[part];
  const text = source[part] ?? "";
  const fault = (detail: string) =>
    errors.push({
      reason: "FieldValueInvalid",
      field: child(path, part),
      message: `Invalid value: ${asGo(source)}: ${detail}`,
    });
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

/** The rule as Go's encoder writes its internal type, which is what clients are shown. */
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
