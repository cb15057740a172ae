import { EvaluationFault } from '../schema/cel/source.ts';
import type { Dict, Value } from '../schema/cel/values.ts';
import type { CompiledPolicy, CompiledSpec, Step, Values } from './compile.ts';

/** A check that a write does not pass. */
export interface Violation {
  message: string;
  /** The reason of the Status; undefined: Invalid. */
  reason?: string | undefined;
  /** An expression failed; the failure policy decides. */
  isError: boolean;
}

const longestMessage = 5 * 1024;

/** Evaluates an expression; the fault is what the server says of it. */
export function run(step: Step, values: Values): { value: Value; fault?: undefined } | { fault: string } {
  try {
    return { value: step.evaluate(values) };
  } catch (error) {
    if (!(error instanceof EvaluationFault)) throw error;
    return { fault: error.message };
  }
}

/** A fault with the expression in which it occurred. */
export function faultOf(step: Step, fault: string): string {
  return step.fault === undefined ? `expression '${step.text}' resulted in error: ${fault}` : fault;
}

/** The value of `variables`: each is evaluated when it is first used, and once. */
export function variablesOf({ variables }: CompiledSpec, values: Values): Dict {
  const steps = new Map(variables.map(({ name, step }) => [name, step]));
  const known = new Map<string, ReturnType<typeof run>>();
  const own: Dict = {
    kind: 'map',
    size: steps.size,
    keys: () => [...steps.keys()],
    get(key) {
      const step = typeof key === 'string' ? steps.get(key) : undefined;
      if (step === undefined || typeof key !== 'string') return undefined;
      let result = known.get(key);
      if (result === undefined) known.set(key, (result = run(step, withVariables)));
      if (result.fault !== undefined)
        throw new EvaluationFault(`composited variable "${key}" fails to evaluate: ${result.fault}`);
      return result.value;
    },
  };
  const withVariables: Values = new Map([...values, ['variables', own]]);
  return own;
}

/** Whether all conditions hold. One that is false outweighs one that fails. */
export function conditionsHold(
  { conditions }: Pick<CompiledSpec, 'conditions'>,
  values: Values,
): { holds: boolean; faults: readonly string[] } {
  const faults: string[] = [];
  for (const { step } of conditions) {
    const result = run(step, values);
    if (result.fault !== undefined) faults.push(faultOf(step, result.fault));
    else if (result.value === false) return { holds: false, faults: [] };
  }
  return { holds: faults.length === 0, faults };
}

/** Several errors as one, as Go aggregates them. */
export const aggregated = (faults: readonly string[]) => {
  const once = [...new Set(faults)];
  return once.length > 1 ? `[${once.join(', ')}]` : (once[0] ?? '');
};

function messageOf(
  { validation, step, message }: CompiledPolicy['validations'][number],
  values: Values,
): string {
  const result = message === undefined ? undefined : run(message, values);
  const said =
    result !== undefined && result.fault === undefined && typeof result.value === 'string'
      ? result.value.trim()
      : '';
  if (said !== '' && said.length <= longestMessage && !said.includes('\n')) return said;
  const fixed = (validation.message ?? '').trim();
  return fixed === '' ? `failed expression: ${step.text.trim()}` : fixed;
}

/** Evaluates a policy for one parameter. The values are those of `valuesOf` and `params`. */
export function violations(policy: CompiledPolicy, given: Values): Violation[] {
  const { holds, faults } = conditionsHold(policy, given);
  if (faults.length > 0) return [{ message: aggregated(faults), isError: true }];
  if (!holds) return [];
  const values: Values = new Map([...given, ['variables', variablesOf(policy, given)]]);
  const found: Violation[] = [];
  for (const each of policy.validations) {
    const result = run(each.step, values);
    if (result.fault !== undefined) found.push({ message: faultOf(each.step, result.fault), isError: true });
    else if (result.value !== true)
      found.push({ message: messageOf(each, values), reason: each.validation.reason, isError: false });
  }
  for (const step of policy.annotations) {
    const result = run(step, values);
    if (result.fault !== undefined) found.push({ message: faultOf(step, result.fault), isError: true });
  }
  return found;
}
