import type { JsonObject } from '../../schemas/wire/json.ts';
import { checkCommonMetadata } from '../../schemas/pods/commonMetadata.ts';
import type { InvalidField } from '../fields/problems.ts';
import { reservedKeys } from './reserved-keys.ts';
import { isObject } from '../values/json-shape.ts';
import { listOf, objectOf } from '../values/read.ts';

const METADATA: ReadonlySet<string> = new Set(['labels', 'annotations']);

/** Fields of the spec that a patch must leave to the template, with the reason. */
const OF_TEMPLATE: Readonly<Record<string, string>> = {
  serviceAccountName: 'policies read it in the template of the workload',
  serviceAccount: 'policies read it in the template of the workload',
  readinessGates: 'it would replace those that the workload waits for',
};

/**
 * What a patch of a subset must not do, whatever its target: change what identifies a pod, what controllers write, and what others rely
 * on the template for.
 */
export function patchFaults(patch: JsonObject, path: readonly string[]): InvalidField[] {
  const found: InvalidField[] = [];
  const report = (at: readonly string[], rule: string): void => {
    found.push({ path: [...path, ...at], rule, at: 'key' });
  };
  for (const key of Object.keys(patch))
    if (key !== 'metadata' && key !== 'spec') report([key], 'must not be set: a patch has metadata and spec');
  const metadata = objectOf(patch['metadata']);
  for (const key of Object.keys(metadata)) {
    // Tools write an empty time of creation wherever there is metadata.
    if (METADATA.has(key) || (key === 'creationTimestamp' && metadata[key] === null)) continue;
    report(['metadata', key], 'must not be set: a patch changes labels and annotations alone');
  }
  for (const section of METADATA) {
    if (metadata[section] !== undefined && !isObject(metadata[section]))
      report(['metadata', section], 'must be a map');
    for (const [key, value] of Object.entries(objectOf(metadata[section]))) {
      if (key.startsWith('$')) report(['metadata', section, key], 'must not be a directive');
      else if (value !== null && typeof value !== 'string')
        report(['metadata', section, key], 'must be a text, or null');
      else for (const rule of textFaults(section, key, value)) report(['metadata', section, key], rule);
    }
  }
  for (const { section, key } of reservedKeys(patch, 'pod'))
    report(['metadata', section, key], 'must not be set: a controller writes it');
  const spec = objectOf(patch['spec']);
  for (const key of Object.keys(spec)) {
    const why = Object.hasOwn(OF_TEMPLATE, key) ? OF_TEMPLATE[key] : undefined;
    if (why !== undefined) report(['spec', key], `must not be set: ${why}`);
    else if (key.startsWith('$')) report(['spec', key], 'must not be a directive');
  }
  for (const { at, rule } of removedContainers(spec)) report(at, rule);
  for (const key of ['metadata', 'spec'])
    if (patch[key] !== undefined && !isObject(patch[key])) report([key], 'must be a map');
  return found;
}

/** An update in place writes the containers of the template: a pod without one of them could never be updated so. */
function removedContainers({ containers }: JsonObject): { at: readonly string[]; rule: string }[] {
  const rule = 'must not remove containers: updates in place change those of the template';
  if (containers === null) return [{ at: ['spec', 'containers'], rule }];
  return listOf(containers).flatMap(({ $patch }, index) =>
    $patch === 'delete' || $patch === 'replace'
      ? [{ at: ['spec', 'containers', String(index), '$patch'], rule }]
      : [],
  );
}

/** What the server refuses in a key and its text: older pods would be patched again and again, and new ones never come to be. */
function textFaults(section: string, key: string, value: string | null): string[] {
  const metadata = { [section]: { [key]: value ?? '' } };
  return checkCommonMetadata(metadata, 'metadata').map(({ message }) => message);
}
