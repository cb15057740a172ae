import type { JsonObject } from '../../schemas/wire/json.ts';
import type { InvalidField } from '../kinds/fields.ts';
import { readPattern } from '../values/pattern.ts';
import { isObject } from '../values/json-shape.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { evaluate } from './expression.ts';
import { readFieldPath } from './field-path.ts';

/** `-1` and `-2` are added to the name of a hot pair, and a name of a container has at most 63 characters. */
const MAX_HOT_NAME_LENGTH = 61;

/** Errors in the fields that containers of a set have beyond those of a container (OpenKruise sidecarset, section 2.2). */
export function invalidSidecars(spec: JsonObject): InvalidField[] {
  const inits = listOf(spec['initContainers']);
  const containers = listOf(spec['containers']);
  if (inits.length + containers.length === 0)
    return [{ path: ['spec', 'containers'], rule: 'must not be empty, unless initContainers is not' }];
  const names = new Set([...inits, ...containers].map(({ name }) => name));
  return [
    ...inits.flatMap((each, index) => sidecarFaults(each, ['spec', 'initContainers', String(index)], names)),
    ...containers.flatMap((each, index) => sidecarFaults(each, ['spec', 'containers', String(index)], names)),
  ];
}

function sidecarFaults(sidecar: JsonObject, path: string[], names: ReadonlySet<unknown>): InvalidField[] {
  const isPlainInit = path[1] === 'initContainers' && sidecar['restartPolicy'] !== 'Always';
  return [
    ...upgradeFaults(sidecar, path, names, isPlainInit),
    ...listOf(sidecar['transferEnv']).flatMap((each, index) =>
      transferFaults(each, [...path, 'transferEnv', String(index)]),
    ),
    ...(isObject(sidecar['resourcesPolicy']) ? policyFaults(sidecar, path, isPlainInit) : []),
  ];
}

function upgradeFaults(
  { name, image, upgradeStrategy }: JsonObject,
  path: string[],
  names: ReadonlySet<unknown>,
  isPlainInit: boolean,
): InvalidField[] {
  const { upgradeType, hotUpgradeEmptyImage } = objectOf(upgradeStrategy);
  if (upgradeType !== 'HotUpgrade') return [];
  const at = [...path, 'upgradeStrategy'];
  if (isPlainInit)
    return [{ path: [...at, 'upgradeType'], rule: 'must not be HotUpgrade: an init container ends' }];
  const found: InvalidField[] = [];
  if (typeof hotUpgradeEmptyImage !== 'string' || hotUpgradeEmptyImage === '')
    found.push({
      path: [...at, 'hotUpgradeEmptyImage'],
      rule: 'must be set: it is the image of the idle container',
    });
  else if (hotUpgradeEmptyImage === image)
    found.push({
      path: [...at, 'hotUpgradeEmptyImage'],
      rule: 'must differ from image: nothing would tell the idle container from the working one',
    });
  const text = textOf(name);
  if (text.length > MAX_HOT_NAME_LENGTH)
    found.push({
      path: [...path, 'name'],
      rule: `must have at most ${MAX_HOT_NAME_LENGTH} characters: the two containers have two more`,
    });
  const taken = [`${text}-1`, `${text}-2`].find((half) => names.has(half));
  if (taken !== undefined)
    found.push({ path: [...path, 'name'], rule: `gives a container ${taken}, and the set has another one` });
  return found;
}

function transferFaults(entry: JsonObject, path: string[]): InvalidField[] {
  const { sourceContainerNameFrom: from } = entry;
  if (!isObject(from)) return [];
  const at = [...path, 'sourceContainerNameFrom', 'fieldRef'];
  const { apiVersion, fieldPath } = objectOf(from['fieldRef']);
  if (!isObject(from['fieldRef'])) return [{ path: at, rule: 'must be set' }];
  const found: InvalidField[] = [];
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== 'v1')
    found.push({ path: [...at, 'apiVersion'], rule: 'must be v1' });
  if (readFieldPath(textOf(fieldPath)) === undefined)
    found.push({
      path: [...at, 'fieldPath'],
      rule: "must be metadata.labels['KEY'] or metadata.annotations['KEY']",
    });
  return found;
}

function policyFaults(sidecar: JsonObject, path: string[], isPlainInit: boolean): InvalidField[] {
  const at = [...path, 'resourcesPolicy'];
  const policy = objectOf(sidecar['resourcesPolicy']);
  const { limits, requests } = objectOf(sidecar['resources']);
  const isSet = (amounts: unknown): boolean => Object.keys(objectOf(amounts)).length > 0;
  const found: InvalidField[] = [];
  if (isPlainInit)
    found.push({ path: at, rule: 'must not be set: the init container has no restartPolicy Always' });
  if (isSet(limits) || isSet(requests)) found.push({ path: at, rule: 'must not be set beside resources' });
  const pattern = policy['targetContainersNameRegex'] ?? '.*';
  const regex = [...at, 'targetContainersNameRegex'];
  const read = readPattern(textOf(pattern));
  if (pattern === '') found.push({ path: regex, rule: 'must not be empty' });
  else if ('problem' in read)
    found.push({ path: regex, rule: `must be a regular expression: ${read.problem}` });
  return [...found, ...expressionFaults(objectOf(policy['resourcesExpr']), [...at, 'resourcesExpr'])];
}

/** The variable is 1 here, as nothing is known of the pods (rule 6.6.6). */
function expressionFaults(expressions: JsonObject, path: string[]): InvalidField[] {
  const found: InvalidField[] = [];
  let count = 0;
  for (const list of ['limits', 'requests'])
    for (const [name, text] of Object.entries(objectOf(expressions[list]))) {
      if (typeof text !== 'string' || text === '') continue;
      count += 1;
      const result = evaluate(text, name, { number: 1 });
      if ('problem' in result)
        found.push({
          path: [...path, list, name],
          rule: `must have a result where ${name} is 1, but ${result.problem}`,
        });
    }
  return count === 0 && !isObject(expressions['limits']) && !isObject(expressions['requests'])
    ? [{ path, rule: 'must have limits or requests' }]
    : found;
}
