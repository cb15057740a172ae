import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Authorizer } from '../access/authorizer.ts';
import { refuse } from '../api/errors.ts';
import type { Registry, RelatedObjects } from '../api/registry.ts';
import { jsonValue } from '../schema/cel/json.ts';
import { compilePolicy } from './compile.ts';
import { valuesOf } from './environment.ts';
import { violations, type Violation } from './evaluate.ts';
import { matched } from './match.ts';
import { paramsOf } from './params.ts';
import type { Policy, PolicyBinding } from './policy.ts';
import type { AdmittedWrite } from './write.ts';

const group = 'admissionregistration.k8s.io';
const policiesId = `validatingadmissionpolicies.${group}`;
const bindingsId = `validatingadmissionpolicybindings.${group}`;

/** What a write is held against. */
export interface AdmissionSources {
  related: RelatedObjects;
  registry: Pick<Registry, 'types'>;
  authorizer: Authorizer;
}

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

/** Policies, their bindings and reviews are never subject to policies. */
function isExempt({ served: { type } }: AdmittedWrite): boolean {
  return type.group === group || type.answer !== undefined;
}

const byName = <T extends { metadata: { name: string } }>(list: readonly T[]) =>
  [...list].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

/**
 * Holds a write against the ValidatingAdmissionPolicies that are bound, in the order of their names. The first
 * violation that a binding denies is thrown as an ApiError with the reason of the check; those that it warns of go
 * to `warn`.
 */
export function enforcePolicies(describe: () => AdmittedWrite, sources: AdmissionSources): void {
  const { related } = sources;
  const bindings = related.list(bindingsId) as readonly PolicyBinding[];
  if (bindings.length === 0) return;
  const write = describe();
  if (isExempt(write)) return;
  const denials: Denial[] = [];
  for (const policy of byName(related.list(policiesId) as readonly Policy[])) {
    const own = bindings.filter(({ spec }) => spec.policyName === policy.metadata.name);
    if (own.length === 0) continue;
    const meant = matched(policy.spec.matchConstraints ?? {}, write, related);
    if (meant === undefined) continue;
    const values = valuesOf(write, meant, sources);
    for (const binding of byName(own))
      denials.push(...denialsOf({ policy, binding, write, values }, sources));
  }
  const [first] = denials;
  if (first !== undefined) throw refused(write, first);
}

function denialsOf(
  {
    policy,
    binding,
    write,
    values,
  }: {
    policy: Policy;
    binding: PolicyBinding;
    write: AdmittedWrite;
    values: ReturnType<typeof valuesOf>;
  },
  sources: AdmissionSources,
): Denial[] {
  const { matchResources, validationActions = [] } = binding.spec;
  if (matchResources !== undefined && matched(matchResources, write, sources.related) === undefined)
    return [];
  const names = { policy: policy.metadata.name, binding: binding.metadata.name };
  const failsOpen = policy.spec.failurePolicy === 'Ignore';
  const found = paramsOf(policy, binding, write.namespace, sources);
  if ('fault' in found)
    return failsOpen
      ? []
      : [{ ...names, message: `failed to configure binding: ${found.fault}`, isError: true }];
  const denials: Denial[] = [];
  for (const param of found.params) {
    const given = new Map([...values, ['params', jsonValue(param)] as const]);
    for (const violation of violations(compilePolicy(policy), given)) {
      if (violation.isError && failsOpen) continue;
      if (validationActions.includes('Deny')) denials.push({ ...names, ...violation });
      if (validationActions.includes('Warn'))
        write.warn?.(
          `Validation failed for ValidatingAdmissionPolicy '${names.policy}' with binding '${names.binding}': ${violation.message}`,
        );
    }
  }
  return denials;
}
