import { deletionProtection } from '../../schemas/generated/deletion-protection.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { LoweringRow } from '../../semantics/kinds/lowering.ts';
import { protectionLosses } from '../../semantics/protection/lowering.ts';
import { protectedResourceOf } from '../../semantics/protection/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { joinPath } from '../load/files.ts';
import type { BuiltFile } from './documents.ts';
import type { Names } from './verdict.ts';

const FILE = './deletion-protection.yaml';

/** The policy by which the label protects. Where the manifests have it, none is written. */
const POLICY_KIND = 'ValidatingAdmissionPolicy';
const POLICY = 'deletion-protection.plan.kruise.io';

/** An object that the label protects. */
export interface ProtectedVerdict {
  names: Names;
  object: JsonObject;
  losses: readonly LoweringRow[];
}

/** What a build makes of deletion protection. */
export interface BuiltProtection {
  /** Undefined: a runtime comes with it, or no object has the label. */
  file: BuiltFile | undefined;
  verdicts: ProtectedVerdict[];
}

/**
 * The policy of deletion protection and its binding, as a file of its own. Where an object needs a runtime, what installs that has
 * them.
 *
 * @param root    the folder of the state
 * @param isPlain whether no object needs a runtime
 * @param paths   of all other files
 */
export function builtProtection(
  objects: readonly { object: JsonObject; names: Names }[],
  { root, isPlain, paths }: { root: string; isPlain: boolean; paths: ReadonlySet<string | undefined> },
): BuiltProtection {
  const verdicts = objects.flatMap(({ object, names }) => {
    const losses = protectionLosses(object, kinds);
    if (losses === undefined) return [];
    const isClustered = protectedResourceOf(kinds, names)?.namespaced === false;
    return [{ names: isClustered ? { ...names, namespace: undefined } : names, object, losses }];
  });
  const path = joinPath(root, FILE);
  const isThere =
    paths.has(path) || objects.some(({ names: { kind, name } }) => kind === POLICY_KIND && name === POLICY);
  if (!isPlain || isThere || verdicts.length === 0) return { file: undefined, verdicts: [] };
  return { file: { path, text: deletionProtection, isChanged: true }, verdicts };
}
