import type { Check, CheckArgument } from '../../schemas/generated/types/runtimeconfig.ts';
import { readWholePattern } from './pattern.ts';
import { isArgumentName, NAMESPACE } from './template.ts';

/** The default of `maxLength`: the longest DNS name. */
const defaultMaxLength = 253;

const defaultPattern = '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$';

/**
 * Why the arguments that a plan sets for a check are refused, as a sentence; undefined: they are valid. The sentence never
 * contains a value or an invalid name.
 */
export function argumentsRefusal(
  check: Pick<Check, 'name' | 'args'>,
  args: Readonly<Record<string, string>>,
): string | undefined {
  const declared = check.args ?? {};
  const names = Object.keys(declared).sort();
  for (const name of Object.keys(args).sort()) {
    if (name === NAMESPACE)
      return `the argument ${NAMESPACE} is always the namespace of the plan; a plan cannot set it`;
    if (Object.hasOwn(declared, name)) continue;
    const extra = isArgumentName(name) ? `no argument ${name}` : 'no argument of that name';
    return `the check ${check.name} has ${extra}; it has ${names.join(', ') || 'none'}`;
  }
  for (const name of names) {
    if (!Object.hasOwn(args, name)) return `the check ${check.name} needs the argument ${name}`;
    const problem = valueProblem(declared[name] ?? {}, args[name]);
    if (problem !== undefined) return `the argument ${name} of the check ${check.name} ${problem}`;
  }
  return undefined;
}

/** Checks the length first: it bounds the input of the pattern. */
function valueProblem({ pattern, maxLength }: CheckArgument, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be text';
  const most = maxLength ?? defaultMaxLength;
  if (value.length > most) return `is longer than ${most} characters`;
  if (/[\p{Cc}\p{Surrogate}]/u.test(value)) return 'contains a control character or an unpaired surrogate';
  const read = readWholePattern(pattern ?? defaultPattern);
  return 'test' in read && read.test(value) ? undefined : `must match ${pattern ?? defaultPattern}`;
}
