/** A manifest whose launch SGLang 0.5.18 refuses while it builds its pools. */
export const EXAMPLE = `\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chat
spec:
  template:
    spec:
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-H200
      containers:
        - name: server
          image: lmsysorg/sglang:v0.5.18-cu129
          command: ["python3", "-m", "sglang.launch_server"]
          # sglint: draft=draft-dspark-qwen3
          args:
            - --model-path
            - openai/gpt-oss-120b
            - --attention-backend
            - triton
            - --enable-unified-memory
            - --speculative-algorithm
            - DSPARK
            - --speculative-draft-model-path
            - acme/gpt-oss-120b-dspark
            - --mem-fraction-static
            - "0.88"
`;
