import { ownPolicy, POLICY_ANNOTATION } from '../../semantics/policy.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { PROTECTION_LABEL, protectionOf } from '../../semantics/protection/label.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import type { Setting } from '../../semantics/kinds/git-side.ts';
import type { Target } from './target.ts';

/** A changed field other than template, replicas and partition. */
export interface SettingChange {
  name: string;
  /** Both undefined for a value that is not a scalar. */
  from: string | undefined;
  to: string | undefined;
  /** Both values, as plain data. */
  values: readonly [before: Setting['value'], after: Setting['value']];
  /** Whether it may change units at once. */
  movesUnits: boolean;
  isImmutable: boolean;
  /** Whether it decides which names the units have. */
  namesUnits: boolean;
}

/** What the metadata of a target sets for the target itself. */
const OF_METADATA: readonly (readonly [string, (object: KubeObject) => string | undefined])[] = [
  [POLICY_ANNOTATION, ownPolicy],
  [PROTECTION_LABEL, protectionOf],
];

/** What was found of two states of a target: rules, forecasts and groups ask, and each answer reads both manifests. */
const known = new WeakMap<Target, { base: Target; changes: readonly SettingChange[] }>();

/** The settings that differ between two states of a target, in the order of its kind. */
export function changedSettings(base: Target, head: Target): readonly SettingChange[] {
  const found = known.get(head);
  if (found?.base === base) return found.changes;
  const changes = settingsThatDiffer(base, head);
  known.set(head, { base, changes });
  return changes;
}

function settingsThatDiffer(base: Target, head: Target): SettingChange[] {
  const before = new Map(base.normal.settings().map(({ name, value }) => [name, value] as const));
  const found = head.normal.settings().flatMap(({ value: to, ...setting }): SettingChange[] => {
    const { name, movesUnits, isImmutable = false, namesUnits = false } = setting;
    const from = before.get(name);
    if (from === to || canonicalJson(from ?? null) === canonicalJson(to ?? null)) return [];
    const values = [from, to] as const;
    return [{ name, from: shown(from), to: shown(to), values, movesUnits, isImmutable, namesUnits }];
  });
  const still = { movesUnits: false, isImmutable: false, namesUnits: false };
  for (const [name, valueOf] of OF_METADATA) {
    const [from, to] = [valueOf(base.manifest.object), valueOf(head.manifest.object)];
    if (from !== to)
      found.push({ name, from: from ?? 'none', to: to ?? 'none', values: [from, to], ...still });
  }
  return found;
}

function shown(value: Setting['value']): string | undefined {
  if (value === undefined) return 'none';
  return typeof value === 'object' ? undefined : String(value);
}
