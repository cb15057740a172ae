import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { claimTemplates } from '../../semantics/kinds/git-units.ts';
import { parseQuantity } from '../../semantics/values/quantity.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isLabel } from '../text/names.ts';
import { suggestQuantity } from './quantity-suggestion.ts';
import { reservedKeyRules } from './reserved-key-rules.ts';
import { type Locate, formatPath, valueAt } from './schema-errors.ts';
import { mountRules, namesOf } from './mount-rules.ts';
import { isReplaced } from './template-rules.ts';

const ACCESS_MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];

/** An invalid field; `rule` follows its path in the message. */
interface Wrong {
  path: string[];
  rule: string;
  suggestion?: string | undefined;
}

/**
 * Reports claim templates from which the server would refuse the pods or claims, and mounts without a volume or claim. The
 * admission of OpenKruise validates the template together with a volume for each claim.
 *
 * @param at the paths of the templates in the manifest
 */
export function claimTemplateRules(
  { units, template }: Pick<GitManifest, 'units' | 'template'>,
  at: { claims: readonly string[]; pod: readonly string[] },
  locate: Locate,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (code: 'KR2145' | 'KR2146', wrong: readonly Wrong[]): void => {
    for (const { path, ...args } of wrong)
      found.push(diagnostic(code, { field: formatPath(path), ...args }, locate(path, 'value')));
  };
  const names = new Map<string, string>();
  for (const [index, each] of claimTemplates(units).entries()) {
    const path = [...at.claims, String(index)];
    report('KR2145', nameProblems(valueAt(each, ['metadata', 'name']), path, names));
    report('KR2146', specProblems(valueAt(each, ['spec']), [...path, 'spec']));
    found.push(...reservedKeyRules(each, path, 'claim', locate));
  }
  const volumes = namesOf(valueAt(template, ['spec', 'volumes']));
  for (const [index, name] of volumes.entries()) {
    if (name === undefined || !names.has(name)) continue;
    found.push(
      diagnostic('KR2147', { volume: name }, locate([...at.pod, 'volumes', String(index), 'name'], 'value')),
    );
  }
  return [...found, ...mountRules({ units, template }, new Set(names.keys()), at.pod, locate)];
}

function nameProblems(name: unknown, template: string[], names: Map<string, string>): Wrong[] {
  const path = [...template, 'metadata', 'name'];
  if (name === undefined || name === null || name === '') return [{ path, rule: 'is missing' }];
  if (typeof name !== 'string' || isReplaced(name)) return [];
  const first = names.get(name);
  if (first !== undefined) return [{ path, rule: `is also that of ${first}` }];
  names.set(name, formatPath(template));
  const rule = 'must be lower case letters, digits and dashes, at most 63, as it is the name of a volume';
  return isLabel(name) ? [] : [{ path, rule }];
}

function specProblems(spec: unknown, path: string[]): Wrong[] {
  const found: Wrong[] = [];
  const modes = valueAt(spec, ['accessModes']);
  const modesPath = [...path, 'accessModes'];
  if (!Array.isArray(modes) || modes.length === 0)
    found.push({ path: modesPath, rule: 'is missing: a claim asks for at least one' });
  else {
    for (const [index, mode] of modes.entries())
      if (!isReplaced(mode) && !ACCESS_MODES.includes(mode))
        found.push({
          path: [...modesPath, String(index)],
          rule: `must be one of ${ACCESS_MODES.join(', ')}`,
        });
    if (modes.length > 1 && modes.includes('ReadWriteOncePod'))
      found.push({ path: modesPath, rule: 'must not combine ReadWriteOncePod with other modes' });
  }
  const sizePath = [...path, 'resources', 'requests', 'storage'];
  const size = valueAt(spec, sizePath.slice(path.length));
  if (size === undefined || size === null) found.push({ path: sizePath, rule: 'is missing' });
  else if (!isReplaced(size) && !isPositive(size))
    found.push({
      path: sizePath,
      rule: 'must be a quantity above zero, such as 10Gi',
      suggestion: typeof size === 'string' ? suggestSize(size) : undefined,
    });
  return found;
}

function suggestSize(size: string): string | undefined {
  const suggestion = suggestQuantity(size);
  return isPositive(suggestion) ? suggestion : undefined;
}

function isPositive(size: unknown): boolean {
  if (typeof size !== 'string' && typeof size !== 'number') return false;
  return (parseQuantity(size)?.nanos ?? 0n) > 0n;
}
