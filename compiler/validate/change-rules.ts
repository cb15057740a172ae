import { partitionValue } from '../../semantics/values/int-or-percent.ts';
import { formatSelector } from '../../semantics/values/selector.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Change } from '../plan/change.ts';
import { strategyPath } from './cloneset-rules.ts';
import type { Locate } from './schema-errors.ts';

/** What only the two states together show. `locate` finds places in the manifest at head. */
export function changeRules(change: Change, locate: Locate): Diagnostic[] {
  const { base, head, classification } = change;
  if (base === undefined || head === undefined || change.action === 'Unchanged') return [];
  const found: Diagnostic[] = [];
  const [before, after] = [base.normal, head.normal];
  if (formatSelector(before.selector) !== formatSelector(after.selector)) {
    found.push(diagnostic('KR2102', {}, locate(['spec', 'selector'], 'key')));
  }
  if (after.replicas < before.replicas && after.replicas * 2 < before.replicas) {
    const args = { from: before.replicas, to: after.replicas };
    found.push(diagnostic('KR2110', args, locate(['spec', 'replicas'], 'value')));
  }
  if (canonicalJson(before.volumeClaimTemplates) !== canonicalJson(after.volumeClaimTemplates)) {
    found.push(diagnostic('KR2119', {}, locate(['spec', 'volumeClaimTemplates'], 'key')));
  }
  if (change.action !== 'Update' || classification === undefined) return found;
  if (after.policy === 'InPlaceOnly') {
    for (const field of classification.fields) {
      if (field.effect !== 'Recreate') continue;
      const args = { field: field.path, because: field.because };
      found.push(diagnostic('KR2104', args, locate(pathOf(field.path), 'key')));
    }
  }
  const held = partitionValue(after.partition, after.replicas);
  if (after.replicas > 0 && held >= after.replicas) {
    const args = { partition: String(after.partition), replicas: after.replicas };
    found.push(diagnostic('KR2113', args, locate(strategyPath(head.manifest.object, 'partition'), 'value')));
  }
  return found;
}

/** As far as a classified path can be followed without knowing list keys: up to the first bracket. */
function pathOf(path: string): string[] {
  const plain = path.split('[')[0] ?? '';
  return ['spec', ...plain.split('.')];
}
