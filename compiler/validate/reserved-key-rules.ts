import type { JsonObject } from '../../schemas/wire/json.ts';
import { type TemplateUse, reservedKeys, userKeys } from '../../semantics/pod/reserved-keys.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { suggest } from '../text/suggest.ts';
import { type Locate, formatPath } from './schema-errors.ts';

/**
 * Reports each key in the metadata of a template that only a controller may write. The runtime holds a target with such a
 * key.
 */
export function reservedKeyRules(
  template: JsonObject,
  path: readonly string[],
  origin: TemplateUse,
  locate: Locate,
): Diagnostic[] {
  return reservedKeys(template, origin).map(({ section, key, index }) => {
    const list = [...path, 'metadata', section];
    const suggestion = section === 'finalizers' ? undefined : suggest(key, userKeys(origin, section));
    const position =
      index === undefined ? locate([...list, key], 'key') : locate([...list, String(index)], 'value');
    return diagnostic('KR2134', { key, field: formatPath(list), made: origin, suggestion }, position);
  });
}
