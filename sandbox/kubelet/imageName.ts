/** The name without tag and digest. */
export function repositoryOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^:/]+$/, '');
}

/** The name by which a node lists an image: `nginx` → `docker.io/library/nginx:latest`. A digest replaces the tag. */
export function fullName(image: string): string {
  const digest = /@.+$/.exec(image)?.[0];
  const repository = repositoryOf(image);
  const plain = image.replace(/@.*$/, '');
  const version = digest ?? (plain.length > repository.length ? plain.slice(repository.length) : ':latest');
  const [first = '', ...path] = repository.split('/');
  const hasRegistry = path.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (hasRegistry) return `${repository}${version}`;
  return `docker.io/${path.length > 0 ? '' : 'library/'}${repository}${version}`;
}
