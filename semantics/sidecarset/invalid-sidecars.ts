import type { JsonObject } from '../../schemas/wire/json.ts';
import type { InvalidField } from '../fields/problems.ts';
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
    return [
      {
        path: ['spec', 'containers'],
        rule: 'must have a container: the set has neither containers nor initContainers',
        help: 'add the container that the set injects',
      },
    ];
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
    return [
      {
        path: [...at, 'upgradeType'],
        rule: 'must not be HotUpgrade: an init container has ended when its pod runs',
        help: 'leave upgradeStrategy out',
      },
    ];
  const found: InvalidField[] = [];
  if (typeof hotUpgradeEmptyImage !== 'string' || hotUpgradeEmptyImage === '')
    found.push({
      path: [...at, 'hotUpgradeEmptyImage'],
      rule: 'must be set: a HotUpgrade needs an image for the idle container of the pair',
      help: 'name a small image whose process only waits',
    });
  else if (hotUpgradeEmptyImage === image)
    found.push({
      path: [...at, 'hotUpgradeEmptyImage'],
      rule: 'must differ from image: the idle container is recognized by its image',
      help: 'name a small image whose process only waits',
    });
  const text = textOf(name);
  if (text.length > MAX_HOT_NAME_LENGTH)
    found.push({
      path: [...path, 'name'],
      rule: `must have at most ${MAX_HOT_NAME_LENGTH} characters: -1 and -2 are added for the two containers of a HotUpgrade`,
      help: 'choose a shorter name',
    });
  const taken = [`${text}-1`, `${text}-2`].find((half) => names.has(half));
  if (taken !== undefined)
    found.push({
      path: [...path, 'name'],
      rule: `must not be ${text}: its HotUpgrade makes a container ${taken}, and the set has another of that name`,
      help: 'rename one of the two containers',
    });
  return found;
}

function transferFaults(entry: JsonObject, path: string[]): InvalidField[] {
  const { sourceContainerNameFrom: from } = entry;
  if (!isObject(from)) return [];
  const at = [...path, 'sourceContainerNameFrom', 'fieldRef'];
  const { apiVersion, fieldPath } = objectOf(from['fieldRef']);
  if (!isObject(from['fieldRef']))
    return [{ path: at, rule: 'must be set', help: 'name a label or an annotation in its fieldPath' }];
  const found: InvalidField[] = [];
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== 'v1')
    found.push({ path: [...at, 'apiVersion'], rule: 'must be v1', help: 'write v1, or leave it out' });
  if (readFieldPath(textOf(fieldPath)) === undefined)
    found.push({
      path: [...at, 'fieldPath'],
      rule: "must be metadata.labels['KEY'] or metadata.annotations['KEY']",
      help: 'name the label or annotation of the pod that holds the name of the container',
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
    found.push({
      path: at,
      rule: 'must not be set: the init container has no restartPolicy Always',
      help: 'write its resources as numbers',
    });
  if (isSet(limits) || isSet(requests))
    found.push({
      path: at,
      rule: 'must not be set together with resources: it computes them',
      help: 'leave one of the two out',
    });
  const pattern = policy['targetContainersNameRegex'] ?? '.*';
  const regex = [...at, 'targetContainersNameRegex'];
  const read = readPattern(textOf(pattern));
  if (pattern === '')
    found.push({
      path: regex,
      rule: 'must not be empty',
      help: 'write .* to count all containers of the pod, or leave it out',
    });
  else if ('problem' in read)
    found.push({
      path: regex,
      rule: `must be a regular expression: ${read.problem}`,
      help: 'write a pattern that matches the names of containers',
    });
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
          rule: `must have a result, and with 1 for ${name} there is none: ${result.problem}`,
          help: `write a number, or an expression of ${name} such as max(${name} * 10%, 1)`,
        });
    }
  return count === 0 && !isObject(expressions['limits']) && !isObject(expressions['requests'])
    ? [{ path, rule: 'must have limits or requests', help: 'add an expression to one of them' }]
    : found;
}
