import { dyn, list, map, type Type } from "../../../../language/schema/cel/type.ts";
import { compileAbout, type Environment, type Outcome } from "./environment.ts";

export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** `variables`: each may use those before it, and is known to those after it. */
export class VariableTypes {
  readonly environment: Environment;
  readonly #fields = new Map<string, Type>();

  constructor(environment: Pick<Environment, "object" | "params">) {
    const variables: Type = { kind: "object", name: "kubernetes.variables", fields: this.#fields };
    this.environment = { ...environment, authorizer: true, variables };
  }

  /** What does not compile may still be named: using it fails. */
  add({ name, expression }: Variable): Outcome {
    const outcome = compileAbout(expression, this.environment, "any");
    this.#fields.set(name, outcome.type === "compiled" ? remembered(outcome.expression.type) : dyn);
    return outcome;
  }
}

/** Of types that a schema cannot say, nothing is remembered. */
function remembered(type: Type): Type {
  switch (type.kind) {
    case "list":
      return list(remembered(type.item));
    case "map":
      return map(remembered(type.key), remembered(type.value));
    case "bool":
    case "bytes":
    case "double":
    case "duration":
    case "int":
    case "null":
    case "string":
    case "timestamp":
    case "uint":
      return type;
    default:
      return dyn;
  }
}
