import { compileExpression } from './expression.ts';
import { functions } from './library.ts';
import { boolType, isSameType, optionalType, stringType, type Type } from './types.ts';
import type { Value } from './values.ts';

/** A compiled rule. Throws EvaluationFault on errors. */
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
  const names = new Map([
    ['self', self],
    ['oldSelf', optionalOldSelf ? optionalType(self) : self],
  ]);
  const type = wanted === 'bool' ? boolType : stringType;
  const subject = wanted === 'bool' ? 'cel expression' : 'messageExpression';
  const { expression, fault, isOfCompiler } = compileExpression(text, {
    names,
    functions,
    resultFault: (found) => (isSameType(found, type) ? undefined : `${subject} must evaluate to a ${wanted}`),
  });
  if (fault !== undefined)
    return { fault: isOfCompiler && wanted === 'string' ? `messageExpression ${fault}` : fault };
  return {
    program: {
      usesOldSelf: expression.used.has('oldSelf'),
      evaluate: (own, old) => expression.evaluate([own, old]),
    },
  };
}
