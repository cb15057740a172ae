import { check } from './check.ts';
import { compile } from './evaluate.ts';
import { functions, typeNames, typeValues } from './library.ts';
import { parse } from './parse.ts';
import { problemText, type Problem } from './source.ts';
import { constantFault, literalProblems } from './literals.ts';
import { boolType, isSameType, optionalType, stringType, type Type } from './types.ts';
import type { Value } from './values.ts';

/** A compiled expression. Throws EvaluationFault on errors. */
export interface Program {
  usesOldSelf: boolean;
  evaluate(self: Value, oldSelf: Value | undefined): Value;
}

/** A program, or the compiler's error message. */
export type Compiled = { program: Program; fault?: undefined } | { program?: undefined; fault: string };

/**
 * Compiles an expression with `self` and `oldSelf` of type `self`; with `optionalOldSelf` the latter is optional.
 * `wanted`: the required result type.
 */
export function compileProgram(
  text: string,
  self: Type,
  {
    optionalOldSelf = false,
    wanted = 'bool',
  }: { optionalOldSelf?: boolean; wanted?: 'bool' | 'string' } = {},
): Compiled {
  const failed = (problems: readonly Problem[]) => ({
    fault: `${wanted === 'string' ? 'messageExpression ' : ''}compilation failed: ${problemText(text, problems)}`,
  });
  const { root, problems: unread } = parse(text);
  if (root === undefined) return failed(unread);
  const names = new Map([
    ...typeNames,
    ['self', self],
    ['oldSelf', optionalOldSelf ? optionalType(self) : self],
  ]);
  const { checked, problems } = check(root, { functions, names });
  if (checked === undefined) return failed(problems);
  const literals = literalProblems(root, checked);
  if (literals.length > 0) return failed(literals);
  if (!isSameType(checked.type, wanted === 'bool' ? boolType : stringType))
    return {
      fault: `${wanted === 'bool' ? 'cel expression' : 'messageExpression'} must evaluate to a ${wanted}`,
    };
  const constant = constantFault(root, checked);
  if (constant !== undefined) return { fault: `program instantiation failed: ${constant}` };
  const evaluate = compile(root, checked, ['self', 'oldSelf'], typeValues);
  return {
    program: {
      usesOldSelf: checked.used.has('oldSelf'),
      evaluate: (own, old) => evaluate([own, old]),
    },
  };
}
