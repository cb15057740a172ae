/** The name by which runtimes list an image: `nginx` → `docker.io/library/nginx:latest`. The port of a registry is not a tag. */
export function fullImageName(image: string): string {
  const [name = '', digest] = image.split('@');
  const slash = name.lastIndexOf('/');
  const tagged = digest !== undefined || name.includes(':', slash + 1) ? image : `${image}:latest`;
  const first = tagged.split('/')[0] ?? '';
  const hasRegistry = tagged.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  if (hasRegistry) return tagged;
  return tagged.includes('/') ? `docker.io/${tagged}` : `docker.io/library/${tagged}`;
}
