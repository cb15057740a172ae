import type { JsonObject } from '../../schemas/wire/json.ts';
import { type Made, reservedKeys, writtenByPeople } from '../../semantics/pod/reserved-keys.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { suggest } from '../text/suggest.ts';
import { type Locate, formatPath } from './schema-errors.ts';

/** Each key of a template's metadata that only a controller may write: the runtime holds a target that has one. */
export function reservedKeyRules(
  template: JsonObject,
  path: readonly string[],
  made: Made,
  locate: Locate,
): Diagnostic[] {
  return reservedKeys(template, made).map(({ section, key, index }) => {
    const list = [...path, 'metadata', section];
    const suggestion = section === 'finalizers' ? undefined : suggest(key, writtenByPeople(made, section));
    const place =
      index === undefined ? locate([...list, key], 'key') : locate([...list, String(index)], 'value');
    return diagnostic('KR2134', { key, field: formatPath(list), made, suggestion }, place);
  });
}
