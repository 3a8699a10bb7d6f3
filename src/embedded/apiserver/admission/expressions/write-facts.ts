import { apiVersionOf, type KubeObject } from "../../../../language/object/meta.ts";
import { fromJson } from "../../../../language/schema/cel/json-value.ts";
import type { Value } from "../../../../language/schema/cel/value.ts";
import type { Authorizer } from "../../auth/user.ts";
import type { Lookup, Resource } from "../../resource.ts";
import type { Attributes } from "../admission.ts";
import { surroundingNamespace } from "../match/selectors.ts";
import { authorizerValue, resourceCheckValue } from "./authorizer-library.ts";
import { namespaceValue, requestValue } from "./write-values.ts";

/** The values of one write for expressions, each computed on first use and cached. */
export class WriteFacts {
  readonly attributes: Attributes;
  readonly #authorizer: Authorizer;
  readonly #objects: Lookup;
  readonly #answers = new Map<string, Value>();

  constructor(attributes: Attributes, authorizer: Authorizer, objects: Lookup) {
    this.attributes = attributes;
    this.#authorizer = authorizer;
    this.#objects = objects;
  }

  object(shownAs: Resource): Value {
    return this.#once(`object/${shownAs.version}`, () => fromJson(inVersion(this.attributes.object, shownAs)));
  }

  oldObject(shownAs: Resource): Value {
    return this.#once(`oldObject/${shownAs.version}`, () => fromJson(inVersion(this.attributes.old, shownAs)));
  }

  request(shownAs: Resource): Value {
    return this.#once(`request/${shownAs.version}`, () => requestValue(this.attributes, shownAs));
  }

  get namespaceObject(): Value {
    return this.#once("namespaceObject", () => {
      const found = surroundingNamespace(this.attributes, this.#objects);
      return found ? namespaceValue(found) : null;
    });
  }

  get authorizer(): Value {
    return this.#once("authorizer", () => authorizerValue(this.attributes.user, this.#authorizer));
  }

  get requestResource(): Value {
    const { user, resource, subresource, namespace, name } = this.attributes;
    return this.#once("requestResource", () =>
      resourceCheckValue(user, this.#authorizer, {
        group: resource.group,
        resource: resource.plural,
        subresource,
        namespace,
        name,
      }),
    );
  }

  #once(name: string, make: () => Value): Value {
    let value = this.#answers.get(name);
    if (value === undefined) this.#answers.set(name, (value = make()));
    return value;
  }
}

type Variables = Readonly<Record<string, Value>>;

interface OwnVariables {
  readonly params?: Value;
  readonly variables?: Value;
  readonly inNamespace?: boolean;
}

/** The variables of one expression, in the version that the rule matched. */
export function variablesFor(facts: WriteFacts, shownAs: Resource, own: OwnVariables = {}): Variables {
  return new WriteVariables(facts, shownAs, own) as unknown as Variables;
}

/** A class: every write evaluates several expressions, and to create an object with accessors takes longer than to evaluate one. */
class WriteVariables {
  readonly params: Value;
  readonly variables: Value;
  readonly #facts: WriteFacts;
  readonly #shownAs: Resource;
  readonly #inNamespace: boolean;

  constructor(
    facts: WriteFacts,
    shownAs: Resource,
    { params = null, variables = null, inNamespace = true }: OwnVariables,
  ) {
    this.params = params;
    this.variables = variables;
    this.#facts = facts;
    this.#shownAs = shownAs;
    this.#inNamespace = inNamespace;
  }

  get object(): Value {
    return this.#facts.object(this.#shownAs);
  }

  get oldObject(): Value {
    return this.#facts.oldObject(this.#shownAs);
  }

  get request(): Value {
    return this.#facts.request(this.#shownAs);
  }

  get namespaceObject(): Value {
    return this.#inNamespace ? this.#facts.namespaceObject : null;
  }

  get authorizer(): Value {
    return this.#facts.authorizer;
  }

  get "authorizer.requestResource"(): Value {
    return this.#facts.requestResource;
  }
}

/** The object with the apiVersion of the matched resource; built-in kinds are not converted. */
function inVersion(object: KubeObject | undefined, resource: Resource): KubeObject | undefined {
  if (!object || resource.origin === "builtin") return object;
  const apiVersion = apiVersionOf(resource.group, resource.version);
  return object.apiVersion === apiVersion || object.kind !== resource.kind ? object : { ...object, apiVersion };
}
