import { ApiError } from '../../schemas/wire/cluster.ts';
import { refuse } from '../api/errors.ts';
import { compilePolicy } from './compile.ts';
import { violations, type Violation } from './evaluate.ts';
import { isExempt } from './exempt.ts';
import { inputOf, invocationsOf, isBound, type AdmissionSources, type Invocation } from './invocations.ts';
import type { Policy } from './policy.ts';
import type { AdmittedWrite } from './write.ts';

interface Denial extends Violation {
  policy: string;
  binding: string | undefined;
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function refused(
  { served, name, object }: AdmittedWrite,
  { policy, binding, message, reason }: Denial,
): ApiError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const why = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const known = name || object?.metadata.name || object?.metadata.generateName || 'Unknown';
  const { status } = refuse.forbidden(served.type, known, why);
  const given = reason ?? 'Invalid';
  return new ApiError({
    ...status,
    reason: given,
    code: codes[given] ?? 422,
    details: { ...status.details, causes: [{ message: why }] },
  });
}

/**
 * Holds a write against the ValidatingAdmissionPolicies that are bound, in the order of their names. The first
 * violation that a binding denies is thrown as an ApiError with the reason of the check; those that it warns of go
 * to `warn`.
 */
export function enforcePolicies(describe: () => AdmittedWrite, sources: AdmissionSources): void {
  if (!isBound('validating', sources)) return;
  const write = describe();
  if (isExempt(write)) return;
  const [first] = invocationsOf<Policy>('validating', write, sources).flatMap((each) =>
    denialsOf(each, write, sources),
  );
  if (first !== undefined) throw refused(write, first);
}

function denialsOf(each: Invocation<Policy>, write: AdmittedWrite, sources: AdmissionSources): Denial[] {
  const { policy, binding } = each;
  const names = { policy: policy.metadata.name, binding: binding.metadata.name };
  const failsOpen = policy.spec.failurePolicy === 'Ignore';
  if (each.fault !== undefined) return failsOpen ? [] : [{ ...names, message: each.fault, isError: true }];
  const { validationActions = [] } = binding.spec;
  const denials: Denial[] = [];
  const { values } = inputOf(write, each.meant, each.param, sources);
  for (const violation of violations(compilePolicy(policy), values)) {
    if (violation.isError && failsOpen) continue;
    if (validationActions.includes('Deny')) denials.push({ ...names, ...violation });
    if (validationActions.includes('Warn'))
      write.warn?.(
        `Validation failed for ValidatingAdmissionPolicy '${names.policy}' with binding '${names.binding}': ${violation.message}`,
      );
  }
  return denials;
}
