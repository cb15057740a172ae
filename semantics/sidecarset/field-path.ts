/** The label or annotation that a field path names: `metadata.labels['KEY']`; undefined: the path is another one. */
export function readFieldPath(path: string): { section: 'labels' | 'annotations'; key: string } | undefined {
  const [, section, key] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? [];
  if (key === undefined) return undefined;
  return { section: section === 'labels' ? 'labels' : 'annotations', key };
}
