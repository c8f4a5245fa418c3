// The generator's settings. `make sdk` writes openapi.json beside this file.
export default {
  input: "openapi.json",
  output: { path: "src/generated", header: [], module: { extension: ".js" } },
  plugins: [
    "@hey-api/typescript",
    { name: "@hey-api/client-fetch", throwOnError: true },
    {
      name: "@hey-api/sdk",
      responseStyle: "data",
      operations: { strategy: "single", containerName: "AllOperations" },
    },
  ],
};
