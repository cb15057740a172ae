import { deletionProtection } from '../../schemas/generated/deletion-protection.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { LoweringRow } from '../../semantics/kinds/lowering.ts';
import { PROTECTION_LOSSES, protectionLosses } from '../../semantics/protection/lowering.ts';
import { protectedResourceOf } from '../../semantics/protection/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { createBudget } from '../load/budget.ts';
import { joinPath } from '../load/files.ts';
import { readYaml } from '../load/read.ts';
import { type BuiltFile, objectsOf } from './documents.ts';
import { type Names, namesOf } from './verdict.ts';

const FILE = 'deletion-protection';

/** The policy by which the label protects, and what binds it. */
const GROUP = 'admissionregistration.k8s.io';
const POLICY_KIND = 'ValidatingAdmissionPolicy';
const BINDING_KIND = 'ValidatingAdmissionPolicyBinding';
const POLICY = 'deletion-protection.plan.kruise.io';

/** An object that the label protects; with a loss it is not protected. */
export interface ProtectedVerdict {
  names: Names;
  object: JsonObject;
  losses: readonly LoweringRow[];
}

/** What a build makes of deletion protection. */
export interface BuiltProtection {
  /** Undefined: a runtime comes with it, the manifests have it, or nothing is protected by it. */
  file: BuiltFile | undefined;
  verdicts: ProtectedVerdict[];
}

interface Named {
  /** As it is written. */
  object: JsonObject;
  names: Names;
}

/**
 * The policy of deletion protection and its binding, as a file of its own. Where an object needs a runtime, what installs that has
 * them.
 *
 * @param builtOf what an object is compiled to, or itself; undefined: nothing is left that could be deleted
 * @param root    the folder of the state
 * @param isPlain whether no object needs a runtime
 * @param paths   of all other files
 */
export function builtProtection(
  objects: readonly Named[],
  {
    builtOf,
    root,
    isPlain,
    paths,
  }: {
    builtOf: (object: JsonObject) => JsonObject | undefined;
    root: string;
    isPlain: boolean;
    paths: readonly (string | undefined)[];
  },
): BuiltProtection {
  const found = objects.flatMap(({ object, names }) => {
    const built = builtOf(object);
    const losses = built && protectionLosses(built, names.namespace, kinds);
    if (losses === undefined) return [];
    const isClustered = protectedResourceOf(kinds, names)?.namespaced === false;
    return [{ names: isClustered ? { ...names, namespace: undefined } : names, object, losses }];
  });
  if (!isPlain || found.length === 0) return { file: undefined, verdicts: [] };
  const own = ownObjects();
  if (isThere(objects, own)) return { file: undefined, verdicts: [] };
  const isTaken = own.some((each) => objects.some((other) => isSameObject(each, other)));
  const verdicts = found.map((each) =>
    isTaken && each.losses.length === 0 ? { ...each, losses: [PROTECTION_LOSSES.Taken] } : each,
  );
  if (verdicts.every(({ losses }) => losses.length > 0)) return { file: undefined, verdicts };
  return { file: { path: freePath(root, paths), text: deletionProtection, isChanged: true }, verdicts };
}

/** The policies and bindings as they are written. */
function ownObjects(): Named[] {
  const source = { file: FILE, text: deletionProtection };
  return readYaml(source, createBudget()).documents.flatMap(({ value }) =>
    objectsOf(value).flatMap(([object]) => {
      const names = namesOf(object, '');
      return names === undefined ? [] : [{ object, names }];
    }),
  );
}

/** Whether the manifests have the policy itself, and bind it wherever it is about. */
function isThere(objects: readonly Named[], own: readonly Named[]): boolean {
  const specs = own.filter(isPolicy).map(specText);
  const isBound = objects.some(({ object, names: { group, kind } }) => {
    if (group !== GROUP || kind !== BINDING_KIND) return false;
    const { policyName, validationActions: actions, paramRef, matchResources } = objectOf(object['spec']);
    const isNarrower = (paramRef ?? matchResources ?? undefined) !== undefined;
    return policyName === POLICY && !isNarrower && Array.isArray(actions) && actions.includes('Deny');
  });
  return isBound && objects.some((each) => isPolicy(each) && specs.includes(specText(each)));
}

function isPolicy({ names: { group, kind, name } }: Named): boolean {
  return group === GROUP && kind === POLICY_KIND && name === POLICY;
}

function specText({ object }: Named): string {
  return canonicalJson(objectOf(object['spec']));
}

/** None of them is in a namespace, whatever their manifests say. */
function isSameObject({ names: a }: Named, { names: b }: Named): boolean {
  return a.group === b.group && a.kind === b.kind && a.name === b.name;
}

/** Beside a file or folder of its name it has a number. */
function freePath(root: string, paths: readonly (string | undefined)[]): string {
  const start = root === '/' ? 1 : root.length + 1;
  const taken = new Set(paths.map((path) => path?.slice(start).split('/', 1)[0]));
  for (let number = 1; ; number += 1) {
    const name = `${FILE}${number === 1 ? '' : `-${number}`}.yaml`;
    if (!taken.has(name)) return joinPath(root, name);
  }
}
