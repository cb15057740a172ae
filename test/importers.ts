import { posix } from 'node:path';

/** Files by their paths below one folder. */
type Texts = ReadonlyMap<string, string>;

/** These files, and those that import one of them by whatever way. */
export function importersOf(texts: Texts, of: Iterable<string>): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const [path, text] of texts) {
    for (const [, from = ''] of text.matchAll(/ from '(\.[^']+)'/g)) {
      const imported = posix.join(posix.dirname(path), from);
      importers.set(imported, [...(importers.get(imported) ?? []), path]);
    }
  }
  const reached = new Set(of);
  // A set is walked through in the order of its growth.
  for (const path of reached) for (const importer of importers.get(path) ?? []) reached.add(importer);
  return reached;
}

/** The files that use the server which KRUISE_E2E_KUBECONFIG names, where it names one. */
export function onServers(texts: Texts): ReadonlySet<string> {
  const readers = [...texts].filter(([, text]) => /process\.env\['KRUISE_E2E_KUBECONFIG'\]/.test(text));
  return importersOf(
    texts,
    readers.map(([path]) => path),
  );
}
