import type { CostBudget } from "../../../../language/schema/cel/frame.ts";
import { EvaluationError, ObjectValue, type Value } from "../../../../language/schema/cel/value.ts";
import type { CompiledVariable } from "./compiled-policy.ts";

/** Bounds the stack: a variable that uses another is evaluated recursively. */
const maxDepth = 200;

/** `variables`: each is evaluated on first use, at most once per evaluation of the policy. */
export function variablesValue(
  variables: readonly CompiledVariable[],
  values: () => Readonly<Record<string, Value>>,
  budget: CostBudget,
): Value {
  return new ObjectValue(new LazyVariables(variables, values, budget));
}

class LazyVariables extends Map<string, Value> {
  readonly #sources: ReadonlyMap<string, CompiledVariable>;
  readonly #values: () => Readonly<Record<string, Value>>;
  readonly #budget: CostBudget;
  readonly #faults = new Map<string, EvaluationError>();
  #depth = 0;

  constructor(
    variables: readonly CompiledVariable[],
    values: () => Readonly<Record<string, Value>>,
    budget: CostBudget,
  ) {
    super();
    // Of two variables with one name, the last counts.
    this.#sources = new Map(variables.map((variable) => [variable.name, variable]));
    this.#values = values;
    this.#budget = budget;
  }

  override get(name: string): Value | undefined {
    const known = super.get(name);
    if (known !== undefined) return known;
    const source = this.#sources.get(name);
    if (!source) return undefined;
    const fault = this.#faults.get(name);
    if (fault) throw fault;
    try {
      const value = this.#evaluate(source);
      super.set(name, value);
      return value;
    } catch (error) {
      if (error instanceof EvaluationError) this.#faults.set(name, error);
      throw error;
    }
  }

  #evaluate({ name, compiled }: CompiledVariable): Value {
    const shown = JSON.stringify(name);
    if (compiled.type === "fault")
      throw new EvaluationError(`composited variable ${shown} fails to compile: ${compiled.detail}`);
    if (this.#depth >= maxDepth) throw new EvaluationError("variables use each other too deeply");
    this.#depth++;
    try {
      return compiled.expression.evaluate(this.#values(), this.#budget);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      throw new EvaluationError(`composited variable ${shown} fails to evaluate: ${error.message}`);
    } finally {
      this.#depth--;
    }
  }
}
