import { dyn, list, map, type Type } from "../../../../language/schema/cel/type.ts";
import { compileAbout, type Environment, type Outcome } from "./environment.ts";

export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** The types of `variables`: each variable may use the ones before it. */
export class VariableTypes {
  readonly environment: Environment;
  readonly #fields = new Map<string, Type>();

  constructor(environment: Pick<Environment, "object" | "params">) {
    const variables: Type = { kind: "object", name: "kubernetes.variables", fields: this.#fields };
    this.environment = { ...environment, authorizer: true, variables };
  }

  /** A variable that does not compile is declared too; using it fails at evaluation. */
  add({ name, expression }: Variable): Outcome {
    const outcome = compileAbout(expression, this.environment, "any");
    this.#fields.set(name, outcome.type === "compiled" ? declaredType(outcome.expression.type) : dyn);
    return outcome;
  }
}

/** As kube-apiserver: types that a schema cannot express become dyn. */
function declaredType(type: Type): Type {
  switch (type.kind) {
    case "list":
      return list(declaredType(type.item));
    case "map":
      return map(declaredType(type.key), declaredType(type.value));
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
