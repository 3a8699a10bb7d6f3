import { compile } from "./compile.ts";
import { costLimit, type Frame, type CostBudget } from "./frame.ts";
import { standardLibrary } from "./library/library.ts";
import { parse } from "./parse.ts";
import { Scope } from "./scope.ts";
import type { Library } from "./library/overload.ts";
import { CompileError, type Node, partsOf } from "./syntax.ts";
import type { Type } from "./type.ts";
import type { Value } from "./value.ts";

/** A compiled expression over variables of known types. Evaluation is bounded by cost, and can throw an EvaluationError. */
export interface Expression {
  readonly type: Type;
  /** The names it uses. `a.b` is included: it may be the name of a variable or a field of `a`. */
  readonly uses: ReadonlySet<string>;
  readonly evaluate: (variables: Readonly<Record<string, Value>>, budget?: CostBudget) => Value;
}

/** At most this many faults of one expression are reported. */
const mostFaults = 100;

/** Throws a CompileError. An evaluation reads only the variables that the expression uses. */
export function compileExpression(
  source: string,
  variables: Readonly<Record<string, Type>>,
  library: Library = standardLibrary,
): Expression {
  const node = parse(source);
  const scope = new Scope(library);
  const names = Object.keys(variables);
  for (const name of names) scope.declare(name, variables[name]!);
  const { type, run } = compile(node, scope);
  const [first, ...others] = scope.faults;
  if (first) throw new CompileError(first.message, first.at, others.slice(0, mostFaults - 1));
  const uses = namesIn(node);
  const used = [...names.entries()].filter(([, name]) => uses.has(name));
  return {
    type,
    uses,
    evaluate(values, budget = { left: costLimit }) {
      const limit = Math.min(costLimit, budget.left);
      const slots: Value[] = names.map(() => null);
      for (const [slot, name] of used) slots[slot] = values[name] ?? null;
      const frame: Frame = { slots, budget: limit };
      try {
        return run(frame);
      } finally {
        budget.left -= limit - frame.budget;
      }
    },
  };
}

function namesIn(root: Node): Set<string> {
  const names = new Set<string>();
  const visit = (node: Node): void => {
    if (node.op === "identifier") names.add(node.name);
    if (node.op === "select" && node.operand.op === "identifier") names.add(`${node.operand.name}.${node.field}`);
    partsOf(node).forEach(visit);
  };
  visit(root);
  return names;
}
