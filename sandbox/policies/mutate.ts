import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { sameValue } from '../../schemas/pods/fields.ts';
import { internalError, refuse } from '../api/errors.ts';
import type { Served } from '../api/registry.ts';
import type { Reading } from '../schema/reading.ts';
import type { Values } from './compile.ts';
import { aggregated, conditionsHold, faultOf, run, variablesOf } from './evaluate.ts';
import { isExempt } from './exempt.ts';
import { inputOf, invocationsOf, type AdmissionSources, type Invocation } from './invocations.ts';
import { compileMutations, type CompiledMutations } from './mutations.ts';
import { MutationFault, withConfiguration, withOperations } from './patch.ts';
import type { MutatingPolicy } from './policy.ts';
import type { Round } from './rounds.ts';
import { inVersion, type AdmittedWrite } from './write.ts';

/** Reads an object that admission has changed, in the version in which it did, with defaults. */
export type ReadPatched = (
  served: Served,
  value: unknown,
  before: KubeObject,
  reading?: Reading,
) => KubeObject;

/** After a patch the server decodes the text of an object, and after a merge it converts its fields. */
const strictly: Reading = { fieldValidation: 'Strict', refused: internalError };
const leniently: Reading = { refused: internalError };
const converting = ({ apiVersion, kind }: KubeObject): Reading => ({
  refused(why) {
    const said = why.replace(
      /^json: cannot unmarshal number .* of type (\S+)$/,
      'cannot convert float64 to $1',
    );
    return new MutationFault(`unable to convert unstructured object to ${apiVersion}, Kind=${kind}: ${said}`);
  },
});

interface Failure {
  message: string;
  reason: string;
}

function refused({ served, name, object }: AdmittedWrite, failures: readonly Failure[]): ApiError {
  const [first] = failures;
  const known = name || object?.metadata.name || object?.metadata.generateName || 'Unknown';
  const { status } = refuse.forbidden(served.type, known, '');
  const causes = failures.map(({ message }) => ({ message }));
  return new ApiError({
    ...status,
    reason: first?.reason ?? '',
    message: first?.message ?? '',
    details: { ...status.details, causes },
  });
}

/**
 * Sends a write through the MutatingAdmissionPolicies that are bound, in the order of their names. An ApiError has the
 * faults of all policies that do not ignore them.
 */
export function mutateByPolicies(
  write: AdmittedWrite,
  round: Round,
  readPatched: ReadPatched,
  sources: AdmissionSources,
): AdmittedWrite {
  if (isExempt(write) || write.object === undefined) return write;
  const failures: Failure[] = [];
  let present = write;
  for (const each of invocationsOf<MutatingPolicy>('mutating', write, sources)) {
    const { next, faults, reason } = invoked(each, present, { round, readPatched, sources });
    if (next !== present) {
      present = next;
      round.changed();
    }
    const { policy, binding } = each;
    if (policy.spec.failurePolicy === 'Ignore') continue;
    const by = `policy '${policy.metadata.name}' with binding '${binding.metadata.name}' denied request`;
    failures.push(...faults.map((fault) => ({ message: `${by}: ${fault}`, reason })));
  }
  if (failures.length > 0) throw refused(write, failures);
  return present;
}

interface Means {
  round: Round;
  readPatched: ReadPatched;
  sources: AdmissionSources;
}

function invoked(
  each: Invocation<MutatingPolicy>,
  write: AdmittedWrite,
  { round, readPatched, sources }: Means,
): { next: AdmittedWrite; faults: readonly string[]; reason: string } {
  if (each.fault !== undefined) return { next: write, faults: [each.fault], reason: 'Forbidden' };
  const { policy, binding, meant, param } = each;
  const compiled = compileMutations(policy);
  const reason = 'Invalid';
  const { holds, faults: unmet } = conditionsHold(compiled, inputOf(write, meant, param, sources).values);
  if (unmet.length > 0) return { next: write, faults: [aggregated(unmet)], reason };
  const { namespace = '', name = '' } = param?.metadata ?? {};
  const id = [policy.metadata.name, binding.metadata.name, namespace, name].join('/');
  if (!holds || !round.isDue(id)) return { next: write, faults: [], reason };
  const faults: string[] = [];
  let next = write;
  for (const mutation of compiled.mutations)
    try {
      const { seen, values } = inputOf(next, meant, param, sources);
      const object = mutatedBy(mutation, compiled, seen, values, readPatched);
      requireVersion(seen, write);
      if (object !== undefined)
        next = {
          ...next,
          object: inVersion({ ...seen, object, before: undefined }, next.served).object,
        };
    } catch (error) {
      if (!(error instanceof MutationFault)) throw error;
      faults.push(error.message);
    }
  if (policy.spec.reinvocationPolicy === 'IfNeeded') round.called(id);
  return { next, faults, reason };
}

/** A server converts a built-in object that a policy means in another version to that of the request, and cannot. */
function requireVersion({ served: meant }: AdmittedWrite, { served: asked }: AdmittedWrite): void {
  const { type, version } = meant;
  if (type.custom || version === asked.version) return;
  const shown = (name: string) => `(${name}.${type.kind})`;
  throw new MutationFault(
    `converting ${shown(version.version)} to ${shown(asked.version.version)}: unknown conversion`,
  );
}

/** The object after a mutation, in the version that the policy means; undefined: it has not changed. */
function mutatedBy(
  { patchType, step }: CompiledMutations['mutations'][number],
  compiled: CompiledMutations,
  { served, object }: AdmittedWrite,
  given: Values,
  readPatched: ReadPatched,
): KubeObject | undefined {
  if (object === undefined) return undefined;
  const values: Values = new Map([...given, ['variables', variablesOf(compiled, given)]]);
  const result = run(step, values);
  if (result.fault !== undefined) throw new MutationFault(faultOf(step, result.fault));
  const isPatch = patchType === 'JSONPatch';
  const patched = isPatch
    ? withOperations(object, result.value)
    : withConfiguration(served, object, result.value);
  const decoding = served.type.custom ? leniently : strictly;
  const next = readPatched(served, patched, object, isPatch ? decoding : converting(object));
  return sameValue(next, object) ? undefined : next;
}
