import { PROTECTION_LABEL, PROTECTION_VALUES } from '../../semantics/protection/label.ts';
import type { Json } from '../../schemas/wire/json.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Budget } from '../load/budget.ts';
import { bounded } from '../load/findings.ts';
import type { Locator } from '../load/locate.ts';
import {
  type FilesOfHead,
  type FilesOfState,
  type ProtectedObject,
  readProtected,
  removedProtected,
} from '../load/protected-objects.ts';
import { shownName } from '../plan/target.ts';
import { shorten } from '../text/escape.ts';
import { suggest } from '../text/suggest.ts';

const LABEL = ['metadata', 'labels', PROTECTION_LABEL];

/** Values of the label that protect nothing, in a state of git. */
export function protectionValues(
  { host, protectedFiles }: Pick<FilesOfState, 'host' | 'protectedFiles'>,
  budget: Budget,
  locator: Locator,
): Diagnostic[] {
  return [...protectedFiles.values()].flatMap(({ file }) =>
    bounded(
      readProtected(host, [file], budget).flatMap((each) => problemOf(each, locator)),
      budget,
    ),
  );
}

function problemOf({ kind, effect, origin }: ProtectedObject, locator: Locator): Diagnostic[] {
  switch (effect.of) {
    case 'NoLabel':
    case 'Free':
      return [];
    case 'Typo': {
      const value = textOf(effect.value);
      const args = { value, meant: suggest(value, PROTECTION_VALUES) };
      return [diagnostic('KR2226', args, locator(origin, LABEL, 'value'))];
    }
    case 'NoEffect':
      return [
        diagnostic('KR2227', { kind: shorten(kind, 80), isCovered: true }, locator(origin, LABEL, 'value')),
      ];
    case 'Refused':
      return effect.isEnforced
        ? []
        : [
            diagnostic(
              'KR2227',
              { kind: shorten(kind, 80), isCovered: false },
              locator(origin, LABEL, 'key'),
            ),
          ];
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/**
 * An error for each protected object of base that head does not have, at its label there. A warning where it may be there, or where
 * nothing that is known here refuses its deletion.
 */
export function protectedRemovals(
  head: FilesOfHead,
  base: FilesOfState,
  budget: Budget,
  locator: Locator,
): Diagnostic[] {
  const byFile = new Map<string, Diagnostic[]>();
  for (const removed of removedProtected(head, base, budget)) {
    const { kind, namespace, name, effect, renamedTo, isMaybeIn, origin } = removed;
    if (effect.of !== 'Refused') continue;
    const what = `${shorten(kind, 80)} ${shorten(shownName({ namespace, name }), 160)}`;
    const { file } = origin.source;
    const position = locator(origin, LABEL, 'key');
    const found =
      effect.isEnforced && isMaybeIn === undefined
        ? diagnostic('KR2224', { what, while: effect.while, renamedTo }, position)
        : diagnostic('KR2230', { what, inNamespace: isMaybeIn && shorten(isMaybeIn, 80) }, position);
    byFile.set(file, [...(byFile.get(file) ?? []), found]);
  }
  return [...byFile.values()].flatMap((found) => bounded(found, budget));
}
