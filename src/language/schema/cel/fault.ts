import { CompileError } from "./syntax.ts";
import { showType, type Type } from "./type.ts";

export function undeclared(name: string, at: number): CompileError {
  return new CompileError(`undeclared reference to '${name}' (in container '')`, at);
}

export function noOverload(name: string, applied: string, at: number): CompileError {
  return new CompileError(`found no matching overload for '${name}' applied to '${applied}'`, at);
}

export function unexpected(expected: Type, found: Type, at: number): CompileError {
  return new CompileError(`expected type '${showType(expected)}' but found '${showType(found)}'`, at);
}
