import { check } from './check.ts';
import { compile } from './evaluate.ts';
import { typeNames, typeValues } from './library.ts';
import { constantFault, literalProblems } from './literals.ts';
import { parse } from './parse.ts';
import type { Functions } from './signature.ts';
import { problemText, type Problem } from './source.ts';
import type { Type } from './types.ts';
import type { Value } from './values.ts';

/** A compiled expression. */
export interface Expression {
  type: Type;
  /** The variables that the expression uses. */
  used: ReadonlySet<string>;
  /** Throws EvaluationFault on errors. `values`: those of the variables, in the order of their declaration. */
  evaluate(values: readonly (Value | undefined)[]): Value;
}

/** An expression, or why there is none. */
export type CompiledExpression =
  | { expression: Expression; fault?: undefined; isOfCompiler?: undefined }
  | { expression?: undefined; fault: string; isOfCompiler: boolean };

/** What an expression can use, and what it must be. */
export interface Demands {
  /** The variables, whose names can be qualified. */
  names: ReadonlyMap<string, Type>;
  functions: Functions;
  /** The message types that it can construct, by name. */
  messages?: ((name: string) => Type | undefined) | undefined;
  /** Why an expression must not be of a type. */
  resultFault: (type: Type) => string | undefined;
}

/** Compiles an expression. `isOfCompiler`: the fault is the compiler's own, with the place in the text. */
export function compileExpression(
  text: string,
  { names, functions, messages, resultFault }: Demands,
): CompiledExpression {
  const failed = (problems: readonly Problem[]): CompiledExpression => ({
    fault: `compilation failed: ${problemText(text, problems)}`,
    isOfCompiler: true,
  });
  const { root, problems: unread } = parse(text);
  if (root === undefined) return failed(unread);
  const { checked, problems } = check(root, {
    functions,
    messages,
    names: new Map([...typeNames, ...names]),
  });
  if (checked === undefined) return failed(problems);
  const literals = literalProblems(root, checked);
  if (literals.length > 0) return failed(literals);
  const misfit = resultFault(checked.type);
  if (misfit !== undefined) return { fault: misfit, isOfCompiler: false };
  const constant = constantFault(root, checked);
  if (constant !== undefined)
    return { fault: `program instantiation failed: ${constant}`, isOfCompiler: false };
  const evaluate = compile(root, checked, [...names.keys()], typeValues);
  return { expression: { type: checked.type, used: checked.used, evaluate } };
}
