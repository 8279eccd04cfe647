"""Subgraph retrieval: knowledge graph → matches → walk → listing."""
